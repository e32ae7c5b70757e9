// SPDX-License-Identifier: Apache-2.0
#include "output/traffic_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "output/traffic_json.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Traffic ThreeWorkers() {
  Traffic traffic;
  traffic.parties = {{"w1"}, {"w2"}, {"10.0.0.9 (outside)", PartyKind::kOutside}};
  traffic.spans = {{.end_ns = 1'000'000'000},
                   {.start_ns = 1'000'000'000, .end_ns = 1'500'000'000},
                   {.kind = SpanKind::kUntimed}};
  const TrafficAmount large{.payload_bytes = 3 << 20,
                            .ip_bytes = 4 << 20,
                            .packets = 100,
                            .messages = 3,
                            .empty_packets = 1};
  const TrafficAmount small{.payload_bytes = 1 << 20,
                            .ip_bytes = 1 << 20,
                            .packets = 10,
                            .messages = 1,
                            .repeated_packets = 2,
                            .repeated_bytes = 2048};
  traffic.pairs = {{.from = 0, .to = 1, .amount = large, .spans = {{0, large}}},
                   {.from = 1, .to = 2, .amount = small, .spans = {{1, small}}}};
  traffic.total = large;
  traffic.total += small;
  traffic.end_ns = 1'500'000'000;
  traffic.flows = 2;
  traffic.by_sender_bytes = 4 << 20;
  return traffic;
}

TEST(TrafficText, FirstLineSaysTheEssential) {
  EXPECT_THAT(TrafficText(ThreeWorkers(), {}),
              StartsWith("75 % of 4 MiB go from w1 to w2, 25 % from w2 to 10.0.0.9 (outside); 4 "
                         "messages in 1.5 s.\n\n"));
}

TEST(TrafficText, PairsThenSpansThenWhatIsToBeKnown) {
  const std::string text = TrafficText(ThreeWorkers(), {});
  EXPECT_THAT(text, AllOf(HasSubstr("\nFROM  TO "), HasSubstr("\nw1    w2 "), HasSubstr("\nWHEN "),
                          HasSubstr("\n0 s - 1 s "), HasSubstr("100 % w1 to w2\n"),
                          HasSubstr("2 MiB/s"), HasSubstr("\n(not told apart by time) "),
                          HasSubstr("counted by sender 4 MiB, by receiver 0 B"),
                          HasSubstr("\n2 KiB were sent again")));
  EXPECT_THAT(text, Not(HasSubstr("lost")));
}

TEST(TrafficText, WhatIsImperfectIsALineEach) {
  Traffic traffic = ThreeWorkers();
  traffic.lost_packets = 5;
  traffic.seen_again_packets = 6;
  traffic.total.unseen_bytes = 7;
  traffic.total.unknown_size_bytes = 8;
  traffic.clock = TrafficClock::kRealtime;
  traffic.nodes_in_part = 1;
  traffic.paused_ns = 1'200'000'000;
  EXPECT_THAT(
      TrafficText(traffic, {}),
      AllOf(HasSubstr("\n5 records of packets were lost"), HasSubstr("\n6 records are of"),
            HasSubstr("\n7 B more passed"), HasSubstr("\n8 B (with headers)"),
            HasSubstr("clocks were not measured"), HasSubstr("\n1.2 s of it the recorders paused"),
            HasSubstr("\n1 node recorded with --only")));
}

TEST(TrafficText, FurtherPairsAreOneLine) {
  Traffic traffic = ThreeWorkers();
  traffic.pairs.push_back(traffic.pairs.back());
  EXPECT_THAT(TrafficText(traffic, {.most_pairs = 1}), HasSubstr("\n(2 more) "));
  EXPECT_THAT(TrafficText(traffic, {.most_pairs = 2}), Not(HasSubstr("more)")));
}

TEST(TrafficText, NamesCannotForgeLines) {
  Traffic traffic = ThreeWorkers();
  traffic.parties[0].name = "a\n\x1b[2Jb";
  const std::string text = TrafficText(traffic, {});
  EXPECT_THAT(text, AllOf(Not(HasSubstr("a\n")), Not(HasSubstr("\x1b"))));
}

TEST(TrafficText, NothingRecordedIsSaid) {
  EXPECT_EQ(TrafficText({.end_ns = 2'000'000'000}, {}), "No packets were recorded in 2 s.\n");
  Traffic lost{.end_ns = 2'000'000'000};
  lost.lost_packets = 9;
  EXPECT_THAT(TrafficText(lost, {}), HasSubstr("\n9 records of packets were lost"));
  Traffic empty = ThreeWorkers();
  empty.total.payload_bytes = 0;
  EXPECT_THAT(TrafficText(empty, {}), StartsWith("110 packets in 1.5 s, and nothing known"));
}

TEST(TrafficJson, HoldsAllOfIt) {
  rapidjson::Document json;
  json.Parse(TrafficJson(ThreeWorkers(), TrafficLevel::kHost).c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["by"].GetString(), "host");
  EXPECT_EQ(json["total"]["payload_bytes"].GetUint64(), 4u << 20);
  EXPECT_STREQ(json["parties"][2]["kind"].GetString(), "outside");
  EXPECT_EQ(json["pairs"].Size(), 2u);
  EXPECT_EQ(json["pairs"][1]["spans"][0]["span"].GetInt(), 1);
  EXPECT_EQ(json["pairs"][1]["spans"][0]["repeated_bytes"].GetInt(), 2048);
  EXPECT_EQ(json["spans"][1]["end_ns"].GetUint64(), 1'500'000'000u);
  EXPECT_STREQ(json["spans"][2]["kind"].GetString(), "untimed");
}

}  // namespace
}  // namespace gordian
