// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<NodeSessions> ThreeNodes() {
  pb::SessionStatus on_reference;
  on_reference.set_name("web");
  on_reference.set_state("recording");
  on_reference.set_events(1234);
  on_reference.set_clock_reference("a");
  pb::SessionStatus other = on_reference;
  other.set_lost(7);
  other.set_clock_offset_ns(-5'000'000);
  other.set_clock_bound_ns(42'000);
  return {
      {.node = "a", .free_bytes = 1 << 30, .sessions = {on_reference}},
      {.node = "b", .free_bytes = 2 << 20, .sessions = {other}},
      {.node = "c", .status = absl::UnavailableError("nobody listens\nthere")},
      {.node = "d", .free_bytes = 1 << 30},
  };
}

TEST(ClusterView, TheTableTellsOfEveryNode) {
  const std::string table = NodesStatusTable(ThreeNodes());
  EXPECT_THAT(table, HasSubstr("reference"));
  EXPECT_THAT(table, HasSubstr("-5 ms"));
  EXPECT_THAT(table, HasSubstr("42 µs"));
  EXPECT_THAT(table, HasSubstr("nobody listens there\n"));
  EXPECT_THAT(table, HasSubstr("d           idle"));
}

// A holder of a node's certificate may answer anything, and the operator's terminal shows it.
TEST(ClusterView, WhatANodeSaysCannotSteerTheTerminal) {
  pb::SessionStatus session;
  session.set_name("web\x1b[2J");
  session.set_state("recording\r");
  session.set_end_reason("\x1b]0;title\x07");
  session.set_error("\u009b31m");
  session.set_clock_error("\x7f");
  const NodeSessions node = {.node = "a", .sessions = {session}};
  for (const std::string& table : {NodesStatusTable({node}), NodesListTable({node})}) {
    EXPECT_EQ(table.find_first_of("\x1b\r\x07\x7f"), std::string::npos) << table;
    EXPECT_THAT(table, Not(HasSubstr("\u009b")));
    EXPECT_THAT(table, HasSubstr("web\uFFFD[2J"));
  }
}

TEST(ClusterView, JsonHoldsTheSame) {
  rapidjson::Document json;
  json.Parse(NodesJson(ThreeNodes()).c_str());
  ASSERT_FALSE(json.HasParseError());
  const auto& nodes = json["nodes"];
  ASSERT_EQ(nodes.Size(), 4u);
  EXPECT_FALSE(nodes[0]["sessions"][0].HasMember("clock_offset_ns"));
  EXPECT_EQ(nodes[1]["sessions"][0]["clock_offset_ns"].GetInt64(), -5'000'000);
  EXPECT_EQ(nodes[1]["sessions"][0]["clock_bound_ns"].GetUint64(), 42'000u);
  EXPECT_STREQ(nodes[2]["error"].GetString(), "nobody listens there");
  EXPECT_EQ(nodes[3]["sessions"].Size(), 0u);
}

}  // namespace
}  // namespace gordian
