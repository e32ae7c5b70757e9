// SPDX-License-Identifier: Apache-2.0
#include "output/message_json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <limits>

#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

rapidjson::Document Parsed(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  EXPECT_FALSE(document.HasParseError()) << json.substr(0, 200);
  return document;
}

TEST(MessageJson, WhatMayBeAbsentIsNullAndNotZero) {
  pb::Report report;
  report.add_phases();
  report.add_phases()->set_parent(0);
  const rapidjson::Document json = Parsed(MessageJson(report, JsonShape::kPretty));
  EXPECT_TRUE(json["phases"][0]["parent"].IsNull());
  EXPECT_EQ(json["phases"][1]["parent"].GetUint(), 0u);
  EXPECT_TRUE(json["job"].IsNull());
}

TEST(MessageJson, EveryListedFieldIsThereEvenWhenItIsEmpty) {
  pb::Report report;
  report.mutable_recording();
  report.add_threads();
  report.add_vertices();
  report.add_edges();
  report.add_findings();
  const rapidjson::Document json = Parsed(MessageJson(report, JsonShape::kPretty));
  const auto expect_members = [](const rapidjson::Value& value,
                                 const std::vector<const char*>& names) {
    for (const char* name : names) EXPECT_TRUE(value.HasMember(name)) << name;
  };
  expect_members(json["recording"], {"seconds", "nodes", "cpus", "events", "lost"});
  expect_members(json["threads"][0],
                 {"id", "tid", "pid", "name", "run_s", "runnable_s", "wait_s", "spin_s"});
  expect_members(json["vertices"][0], {"id", "name", "kind", "tid", "members"});
  expect_members(json["edges"][0], {"from", "to", "weight_s", "own_s", "count"});
  expect_members(json["findings"][0], {"rank", "kind", "title", "members", "edge", "share",
                                       "upper_bound_gain", "confidence", "ruled_out"});
  EXPECT_TRUE(json["vertices"][0]["members"].IsArray());
  EXPECT_TRUE(json["findings"][0]["edge"].IsNull());
  EXPECT_TRUE(Parsed(MessageJson(pb::Report(), JsonShape::kCompact)).HasMember("findings"));
}

TEST(MessageJson, CountsAreNumbersAndNoNumberIsNull) {
  pb::Report report;
  report.mutable_recording()->set_events(std::numeric_limits<uint64_t>::max());
  report.mutable_recording()->set_seconds(std::numeric_limits<double>::infinity());
  report.add_findings()->set_share(std::numeric_limits<double>::quiet_NaN());
  const rapidjson::Document json = Parsed(MessageJson(report, JsonShape::kCompact));
  EXPECT_EQ(json["recording"]["events"].GetUint64(), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(json["recording"]["seconds"].IsNull());
  EXPECT_TRUE(json["findings"][0]["share"].IsNull());
}

TEST(MessageJson, AProto3ParserReadsItBack) {
  const pb::Report report = TestReport("lossy");
  for (const JsonShape shape : {JsonShape::kPretty, JsonShape::kCompact}) {
    pb::Report back;
    const auto status =
        google::protobuf::util::JsonStringToMessage(MessageJson(report, shape), &back);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(back, report));
  }
}

TEST(MessageJson, NamesThatAreNoTextStillMakeValidJson) {
  pb::Report report = TestReport("hostile");
  report.mutable_threads(0)->set_name("\xff\"\\\n");
  const std::string json = MessageJson(report, JsonShape::kCompact);
  EXPECT_STREQ(Parsed(json)["threads"][0]["name"].GetString(), "\uFFFD\"\\\uFFFD");
  EXPECT_THAT(json, ::testing::Not(HasSubstr("\x1b")));
}

TEST(MessageJson, OfALargeMessageComesInPieces) {
  pb::Report report;
  for (uint32_t id = 0; id < 2'000; ++id) report.add_threads()->set_id(id);
  size_t longest_bytes = 0;
  std::string json;
  WriteMessageJson(report, JsonShape::kPretty, [&](std::string_view piece) {
    longest_bytes = std::max(longest_bytes, piece.size());
    json.append(piece);
  });
  EXPECT_LT(longest_bytes, json.size() / 4);
  EXPECT_EQ(json.back(), '\n');
  const rapidjson::Document parsed = Parsed(json);
  ASSERT_EQ(parsed["threads"].Size(), 2'000u);
  EXPECT_EQ(parsed["threads"][1'999]["id"].GetUint(), 1'999u);
}

}  // namespace
}  // namespace gordian
