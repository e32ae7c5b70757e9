// SPDX-License-Identifier: Apache-2.0
// A cluster whose reading was stopped is one whose recordings ended then, at the same instant.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "bench/cluster_generator.h"
#include "nodes/joined_nodes.h"
#include "nodes/joint_time.h"
#include "nodes/node_clocks.h"
#include "trace/node_sessions.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// All that stages behind the reading look at.
std::vector<std::string> AllOf(const JoinedNodes& joined) {
  const Timeline& timeline = joined.timeline;
  std::vector<std::string> all = {absl::StrCat("from ", timeline.start_ns(), " to ",
                                               timeline.end_ns(), ", ", timeline.events(),
                                               " events, ", timeline.lost(), " lost")};
  for (EntityId id = 0; id < timeline.entities().size(); ++id) {
    const Entity& entity = timeline.entities()[id];
    all.push_back(absl::StrCat(entity.node, "/", entity.name, " from ", entity.begin_ns, " to ",
                               entity.end_ns, ": ", entity.run_ns, " ", entity.runnable_ns, " ",
                               entity.wait_ns, " ", entity.unknown_ns));
    if (id >= timeline.thread_count()) continue;
    for (auto at = timeline.SegmentsFrom(id); !at.done(); at.Next())
      all.push_back(absl::StrCat(at.start_ns(), " ", at.segment().kind, " by ", at.segment().waker,
                                 " ", at.segment().state, " ", at.segment().cause,
                                 at.segment().open_end ? " open" : ""));
  }
  for (const Column<PacketRecord>& row : timeline.packet_rows())
    for (const PacketRecord& packet : row)
      all.push_back(absl::StrCat("packet ", packet.time_ns, " of ", packet.thread));
  for (const MessageFlight& flight : timeline.flights())
    all.push_back(absl::StrCat("flight ", flight.receiver, " ", flight.sender, " ", flight.sent_ns,
                               " ", flight.received_ns));
  for (const JoinedNode& node : joined.nodes)
    all.push_back(absl::StrCat(node.name, " ", node.offset_ns, " ± ", node.bound_ns, ", ",
                               node.contradictions, " contradictions"));
  for (const NodeLink& link : joined.links)
    all.push_back(
        absl::StrCat("link ", link.from, " ", link.to, " ", link.messages, " ", link.median_ns));
  for (const NamedCount& count : timeline.counters())
    all.push_back(absl::StrCat(std::string(count.name), " = ", count.value));
  return all;
}

std::string Difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string of_a = i < a.size() ? a[i] : "nothing";
    const std::string of_b = i < b.size() ? b[i] : "nothing";
    if (of_a != of_b) return absl::StrCat(of_a, "\n", of_b);
  }
  return "";
}

// As if its recorder had ended then, on the node's own clock.
void CutRecording(const SessionReader& whole, uint64_t time_ns, const std::string& to) {
  auto writer = SessionWriter::Create(to, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EventBlock block;
  const auto copy = [&](const EventStream& stream, auto append) {
    for (size_t i = 0; i < stream.blocks().size(); ++i) {
      ASSERT_TRUE(stream.Read(i, block).ok());
      std::erase_if(block.events, [&](const TraceEvent& e) { return e.time_ns >= time_ns; });
      if (!block.empty()) {
        ASSERT_TRUE(append(block).ok());
      }
    }
  };
  for (const auto& stream : whole.cpus())
    copy(*stream, [&](EventBlock& events) { return (*writer)->AppendEvents(events); });
  if (whole.tasks() != nullptr)
    copy(*whole.tasks(), [&](EventBlock& events) { return (*writer)->AppendTasks(events); });
  pb::Session session = whole.session();
  session.set_end_time_ns(std::min(session.end_time_ns(), time_ns));
  ASSERT_TRUE((*writer)->WriteSession(session).ok());
}

// Each node's recording until the reference's clock shows that time.
void CutCluster(const std::string& from, uint64_t time_ns, const std::string& to) {
  const auto nodes = FindNodeSessions(from);
  ASSERT_TRUE(nodes.ok());
  std::vector<std::unique_ptr<SessionReader>> readers;
  std::vector<NodeClockInput> inputs;
  for (const NodeSession& node : *nodes) {
    readers.push_back(*SessionReader::Open(node.directory));
    inputs.push_back({node.node, &readers.back()->session()});
  }
  const NodeClocks clocks = ClocksOf(inputs);
  std::filesystem::create_directory(to);
  for (size_t i = 0; i < readers.size(); ++i)
    CutRecording(*readers[i], FirstAt(ClockMap(clocks.bounds[i]), time_ns, 0, uint64_t{1} << 62),
                 absl::StrCat(to, "/", (*nodes)[i].node));
}

struct Loaded {
  absl::StatusOr<JoinedNodes> joined;
  std::vector<std::string> skipped;
};

Loaded Load(const std::string& directory, const TimelineOptions& options) {
  Loaded loaded{.joined = absl::UnknownError("")};
  loaded.joined = LoadNodes(*FindNodeSessions(directory), options, {}, loaded.skipped);
  return loaded;
}

ClusterShape AnyCluster() {
  ClusterShape shape{.events = *rc::gen::inRange<uint64_t>(300, 3000),
                     .nodes = *rc::gen::inRange(1, 5),
                     .cpus_per_node = *rc::gen::inRange(1, 4),
                     .groups = *rc::gen::inRange(1, 7),
                     .groups_across_percent = *rc::gen::elementOf(std::vector{0, 50, 100}),
                     .connections = *rc::gen::inRange(1, 4),
                     .packets_lost_percent = *rc::gen::elementOf(std::vector{0, 2, 15}),
                     .events_per_block = *rc::gen::inRange<size_t>(1, 200),
                     .seed = *rc::gen::arbitrary<uint32_t>()};
  shape.clocks = {PlayedClock()};
  for (int node = 1; node < shape.nodes; ++node)
    shape.clocks.push_back({.skew_ns = *rc::gen::inRange<int64_t>(-5'000'000'000, 5'000'000'000),
                            .drift_ppm = *rc::gen::inRange<int64_t>(-100, 101),
                            .error_ns = *rc::gen::inRange<int64_t>(-50'000, 50'000),
                            .bound_ns = 50'000});
  return shape;
}

RC_GTEST_PROP(StoppedNodes, AreThoseOfRecordingsThatEndedAtThatInstant, ()) {
  const TemporaryDirectory directory;
  RC_ASSERT(GenerateCluster(AnyCluster(), directory / "nodes").ok());
  TimelineOptions options{.threads = *rc::gen::inRange(1, 3),
                          .events_per_window = *rc::gen::inRange<size_t>(1, 30)};
  int turns = *rc::gen::inRange(1, 12);
  std::optional<uint64_t> stopped_ns;
  options.keep_reading = [&](const ReadSoFar& so_far) {
    if (--turns > 0) return true;
    stopped_ns = so_far.until_ns;
    return false;
  };
  const Loaded stopped = Load(directory / "nodes", options);
  RC_TAG(stopped_ns ? "stopped" : "whole");
  if (!stopped_ns) {
    RC_ASSERT(stopped.joined.ok());
    RC_ASSERT(stopped.joined->timeline.unread_ns() == 0u);
    const Loaded whole = Load(directory / "nodes", {.threads = 1});
    RC_ASSERT(Difference(AllOf(*stopped.joined), AllOf(*whole.joined)) == "");
    return;
  }
  CutCluster(directory / "nodes", *stopped_ns, directory / "ended");
  const Loaded ended = Load(directory / "ended", {.threads = 1});
  RC_ASSERT(stopped.joined.ok() == ended.joined.ok());
  RC_ASSERT(stopped.skipped.size() == ended.skipped.size());
  if (!ended.joined.ok()) return;
  RC_ASSERT(stopped.joined->timeline.unread_ns() > 0u);
  RC_ASSERT(Difference(AllOf(*stopped.joined), AllOf(*ended.joined)) == "");

  // The same if that time was told before.
  const Loaded until = Load(directory / "nodes", {.threads = 1, .until_ns = *stopped_ns});
  RC_ASSERT(until.joined.ok());
  RC_ASSERT(Difference(AllOf(*until.joined), AllOf(*ended.joined)) == "");
}

TEST(StoppedNodes, OfWhichNoneHasBegunAreNone) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateCluster({.events = 2'000, .nodes = 2}, directory / "nodes").ok());
  const Loaded loaded = Load(directory / "nodes", {.threads = 1, .until_ns = 1});
  EXPECT_FALSE(loaded.joined.ok());
  EXPECT_EQ(loaded.skipped.size(), 2u);
}

}  // namespace
}  // namespace gordian
