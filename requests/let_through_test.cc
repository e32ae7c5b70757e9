// SPDX-License-Identifier: Apache-2.0
#include "requests/let_through.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint16_t kProxyPort = 80;
constexpr uint16_t kStorePort = 90;

// A proxy P, a store S, and two helpers H of one program.
class RequestsLetOn : public ::testing::Test {
 protected:
  EntityId Id(const std::string& name) const { return recorded_.Id(name); }

  // Of a connection of its own for each number.
  void Add(uint16_t number, uint16_t port, EntityId client, EntityId server, uint64_t from_ns,
           uint64_t to_ns) {
    FlowTuple tuple;
    tuple.source_port = number;
    tuple.destination_port = port;
    found_.connections.push_back({.to_server = tuple, .is_served = true});
    found_.requests.push_back({.connection = static_cast<uint32_t>(found_.connections.size() - 1),
                               .thread = server,
                               .client = client,
                               .start_ns = from_ns,
                               .answer_ns = to_ns});
  }
  std::vector<LetThrough> Find() const {
    return FindLetThrough(recorded_.timeline(), found_, RequestWalk(recorded_.timeline(), found_),
                          0, 1000);
  }

  const ScenarioTimeline recorded_{
      "end 1000\nthread 1 P R\nthread 2 S R\nthread 3 H R\nthread 4 I R\n0 0 switch 0 1\n"};
  FoundRequests found_;
};

TEST_F(RequestsLetOn, OneAtATimeKeepTheOthers) {
  // Three clients all the time; the store is asked for one of them after the other.
  for (const uint16_t client : {1, 2, 3}) Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
  for (uint64_t i = 0; i < 10; ++i)
    Add(i % 2 == 0 ? 11 : 12, kStorePort, Id("P"), Id("S"), 100 * i, 100 * i + 90);
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].program, "P");
  EXPECT_EQ(all[0].server, "S");
  EXPECT_THAT(all[0].ports, ElementsAre(kStorePort));
  EXPECT_EQ(all[0].requests, 10u);
  EXPECT_EQ(all[0].most, 1u);
  EXPECT_EQ(all[0].kept, 2u);
  EXPECT_DOUBLE_EQ(all[0].full_share, 0.9);
  EXPECT_DOUBLE_EQ(all[0].on_average, 0.9);
  EXPECT_EQ(all[0].connections, 2u);
  EXPECT_DOUBLE_EQ(all[0].kept_share, 1.0);
  EXPECT_DOUBLE_EQ(all[0].full_while_kept_share, 0.9);
  EXPECT_THAT(all[0].askers, ElementsAre(Id("P")));
  EXPECT_THAT(all[0].servers, ElementsAre(Id("S")));
}

TEST_F(RequestsLetOn, ToTheirOwnProcessAreNone) {
  for (const uint16_t client : {1, 2, 3}) Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
  for (uint64_t i = 0; i < 10; ++i) Add(11, kProxyPort, Id("P"), Id("P"), 100 * i, 100 * i + 90);
  EXPECT_THAT(Find(), SizeIs(0));
}

// Streams on one connection: what looks like one request is as many as were sent until the first
// answer.
TEST_F(RequestsLetOn, SeveralAtOnceOnAConnectionAreNotCounted) {
  for (const uint16_t client : {1, 2, 3}) Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
  for (uint64_t i = 0; i < 10; ++i) {
    Add(11, kStorePort, Id("P"), Id("S"), 100 * i, 100 * i + 90);
    found_.requests.back().parts = static_cast<uint32_t>(i % 2 + 1);
  }
  EXPECT_THAT(Find(), SizeIs(1)) << "a head, or a head and a body";
  for (uint64_t i = 0; i < 10; ++i) found_.requests[3 + i].parts = static_cast<uint32_t>(i % 5 + 1);
  EXPECT_THAT(Find(), SizeIs(0));
}

TEST_F(RequestsLetOn, AllAtOnceKeepNone) {
  for (const uint16_t client : {1, 2, 3}) {
    Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
    Add(static_cast<uint16_t>(10 + client), kStorePort, Id("P"), Id("S"), 10, 990);
  }
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].most, 3u);
  EXPECT_EQ(all[0].kept, 0u);
  EXPECT_DOUBLE_EQ(all[0].full_share, 0.98);
  EXPECT_DOUBLE_EQ(all[0].kept_share, 0.0);
}

TEST_F(RequestsLetOn, OnANewConnectionEachHaveNoneThatStays) {
  for (uint16_t i = 0; i < 10; ++i)
    Add(static_cast<uint16_t>(11 + i), kStorePort, Id("P"), Id("S"), 100u * i, 100u * i + 90);
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_LE(all[0].connections, 1u);
}

// Two were under way at once, mostly none: what keeps the clients is something else.
TEST_F(RequestsLetOn, NowAndThenAreNotFullWhileOthersWait) {
  for (const uint16_t client : {1, 2, 3}) Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
  Add(11, kStorePort, Id("P"), Id("S"), 0, 100);
  Add(12, kStorePort, Id("P"), Id("S"), 0, 100);
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].most, 2u);
  EXPECT_DOUBLE_EQ(all[0].full_while_kept_share, 0.1);
}

// A front end P hands requests over without packets to a worker H, which asks the store. H is woken
// by P, and wakes it.
TEST(RequestsLetOnByWorkers, AreOfTheProgramThatTheyWorkFor) {
  const ScenarioTimeline recorded(
      "end 1000\nthread 1 P R\nthread 2 S R\nthread 3 H R\n"
      "0 0 switch 0 1\n0 1 switch 0 3\n10 1 switch 3 0 S\n20 0 wake 3 by 1\n20 1 switch 0 3\n30 0 "
      "switch 1 0 S\n"
      "900 1 wake 1 by 3\n900 0 switch 0 1\n");
  FoundRequests found;
  const auto add = [&](uint16_t client, uint16_t port, EntityId asker, EntityId server,
                       uint64_t from_ns, uint64_t to_ns) {
    FlowTuple tuple;
    tuple.source_port = client;
    tuple.destination_port = port;
    found.connections.push_back({.to_server = tuple, .is_served = true});
    found.requests.push_back({.connection = static_cast<uint32_t>(found.connections.size() - 1),
                              .thread = server,
                              .client = asker,
                              .start_ns = ScenarioTimeline::At(from_ns),
                              .received_ns = ScenarioTimeline::At(from_ns),
                              .answer_ns = ScenarioTimeline::At(to_ns),
                              .end_ns = ScenarioTimeline::At(to_ns)});
  };
  for (const uint16_t client : {1, 2, 3})
    add(client, kProxyPort, kNobody, recorded.Id("P"), 15, 990);
  add(11, kStorePort, recorded.Id("H"), recorded.Id("S"), 30, 890);
  const std::vector<LetThrough> all =
      FindLetThrough(recorded.timeline(), found, RequestWalk(recorded.timeline(), found),
                     ScenarioTimeline::At(0), ScenarioTimeline::At(1000));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].program, "H");
  EXPECT_EQ(all[0].works_for, "P");
  EXPECT_EQ(all[0].kept, 2u);
}

// H0 … H4 live one after the other and ask once each.
TEST_F(RequestsLetOn, ByAProcessForEachTellWhoBeginsThem) {
  std::string lines = "end 1000\nthread 1 P R\nthread 2 S R\n0 0 switch 0 1\n";
  for (int i = 0; i < 5; ++i)
    absl::StrAppend(&lines, 100 * i + 10, " 0 new ", 11 + i, " H", i, " of 1 in ", 11 + i, "\n",
                    100 * i + 90, " 0 exit ", 11 + i, "\n");
  const ScenarioTimeline recorded(lines);
  std::vector<EntityId> askers;
  for (int i = 0; i < 5; ++i) askers.push_back(recorded.Id(absl::StrCat("H", i)));
  EXPECT_EQ(WhoBeganEach(recorded.timeline(), askers, 5), recorded.Id("P"));
  EXPECT_EQ(WhoBeganEach(recorded.timeline(), askers, 9), kNobody) << "some ask again";
  EXPECT_EQ(WhoBeganEach(recorded.timeline(), {recorded.Id("S")}, 1), kNobody);
}

// Each helper is reached on a port of its own, by one connection.
TEST_F(RequestsLetOn, PrivateWaysToOneProgramAreAPool) {
  for (const uint16_t client : {1, 2, 3}) Add(client, kProxyPort, kNobody, Id("P"), 0, 1000);
  Add(11, 5001, Id("P"), Id("H"), 0, 1000);
  Add(12, 5002, Id("P"), Id("H"), 0, 1000);
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].ports, ElementsAre(5001, 5002));
  EXPECT_EQ(all[0].most, 2u);
  EXPECT_EQ(all[0].kept, 1u);
}

TEST_F(RequestsLetOn, ToTwoServersAreTwo) {
  Add(11, kStorePort, Id("P"), Id("S"), 0, 500);
  Add(12, kStorePort, Id("P"), Id("S"), 0, 500);
  Add(13, 5002, Id("P"), Id("I"), 0, 1000);
  const std::vector<LetThrough> all = Find();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].server, "I");
  EXPECT_EQ(all[1].server, "S");
  EXPECT_EQ(all[1].most, 2u);
}

TEST_F(RequestsLetOn, AreOfTheStretchesThatWereLookedAt) {
  found_.stretches = {{0, 100}, {500, 600}};
  Add(11, kStorePort, Id("P"), Id("S"), 0, 100);
  Add(11, kStorePort, Id("P"), Id("S"), 500, 600);
  EXPECT_DOUBLE_EQ(Find()[0].full_share, 1.0);
}

TEST_F(RequestsLetOn, WithoutAThreadOrOfPhasesAreNone) {
  Add(11, kStorePort, kNobody, Id("S"), 0, 100);
  found_.requests.push_back({.thread = Id("P"), .client = Id("S"), .answer_ns = 10});
  EXPECT_THAT(Find(), SizeIs(0));
}

}  // namespace
}  // namespace gordian
