// SPDX-License-Identifier: Apache-2.0
// A node that is moved window by window is the one that is moved as a whole, and its segments need
// no more room than those of a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/test_ranks.h"
#include "nodes/joining_steps.h"
#include "nodes/messages.h"
#include "nodes/timeline_joiner.h"
#include "store/store.h"

namespace gordian::testing {
namespace {

constexpr size_t kEventsPerWindow = 500;
constexpr int kNodes = 4;
constexpr uint32_t kMoved = 3;
// Segments that lie in files take a chunk of so many at least; packets and requests of few events
// do not.
constexpr uint64_t kChunkBytes = 64 << 20;

bool IsSame(const ThreadSegment& a, const ThreadSegment& b) {
  return a.start_ns == b.start_ns && a.waker == b.waker && a.state == b.state && a.kind == b.kind &&
         a.cause == b.cause && a.open_start == b.open_start && a.open_end == b.open_end;
}

class MoveByWindow : public AskedRanks {
 protected:
  Timeline Read(uint32_t node) const {
    auto session = SessionReader::Open(recording_ + "/n000" + std::to_string(node));
    EXPECT_TRUE(session.ok()) << session.status();
    auto timeline = LoadTimeline(
        **session,
        {.threads = 1, .events_per_window = kEventsPerWindow, .keep_packet_wakes = true});
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    return *std::move(timeline);
  }

  // Of the node that is moved, as settling it keeps it.
  StoredEntry Keep(const Timeline& timeline) const {
    const StoreKey key{.recording = "01", .stage = "node", .format = 1, .options = ""};
    auto writer = store_.Begin(key, "/recording", KeptTimelineBytes(timeline));
    EXPECT_TRUE(writer.ok()) << writer.status();
    KeepUnjoinedTimeline(timeline, *writer);
    EXPECT_TRUE(writer->Commit().ok());
    return *store_.Find(key);
  }

  const Store store_ = *Store::Open({.folder = dir_ / "store", .keep_free_bytes = 0});
};

TEST_F(MoveByWindow, GivesTheSameNodeInLittleRoom) {
  GenerateSimulated(/*seed=*/4, kNodes);
  std::vector<Timeline> timelines;
  std::vector<NodeFacts> facts;
  for (uint32_t node = 0; node < kNodes; ++node) {
    timelines.push_back(Read(node));
    facts.push_back(FactsOf(std::to_string(node), timelines.back()));
  }
  JoinPlan plan = PlanJoining(facts, ClocksOf(facts, {}).bounds);
  const Pauses pauses(plan.pauses);
  std::vector<NodeView> views;
  for (uint32_t node = 0; node < kNodes; ++node)
    views.push_back({.timeline = &timelines[node],
                     .clock = plan.nodes[node].to_reference,
                     .clock_bound_ns = plan.nodes[node].clock_bound_ns,
                     .pauses = &pauses,
                     .number = node});
  const Column<Message> all = MatchMessages(views, 1);
  plan.ways = WaysOf(all);
  std::vector<Message> messages;
  std::copy_if(all.begin(), all.end(), std::back_inserter(messages),
               [](const Message& message) { return message.to_node == kMoved; });

  const MovedNode whole = TimelineJoiner(plan, kMoved, messages, /*threads=*/2).Move(Read(kMoved));
  ASSERT_FALSE(whole.timeline.flights().empty());
  std::vector<ThreadSegment> segments;
  for (EntityId thread = 0; thread < whole.timeline.thread_count(); ++thread)
    for (SegmentCursor at = whole.timeline.SegmentsFrom(thread); !at.done(); at.Next())
      segments.push_back(at.segment());

  const ColumnMemory memory({.folder = dir_.path()});
  auto kept = KeptUnjoinedTimelineOf(Keep(timelines[kMoved]), memory);
  ASSERT_TRUE(kept.ok()) << kept.status();
  std::map<uint32_t, std::vector<ThreadSegment>> by_number;
  const MovedNode moved =
      TimelineJoiner(plan, kMoved, messages, /*threads=*/2)
          .MoveByWindow(*std::move(kept), [&](const auto& numbers, const auto& pieces) {
            for (size_t i = 0; i < numbers.size(); ++i)
              by_number[numbers[i]].assign(pieces[i].begin(), pieces[i].end());
          });

  EXPECT_LT(memory.bytes_in_files(), kChunkBytes);
  std::vector<ThreadSegment> of_windows;
  for (const auto& [number, piece] : by_number)
    of_windows.insert(of_windows.end(), piece.begin(), piece.end());
  EXPECT_TRUE(
      std::equal(segments.begin(), segments.end(), of_windows.begin(), of_windows.end(), IsSame));
  EXPECT_EQ(moved.timeline.flights().size(), whole.timeline.flights().size());
  EXPECT_EQ(moved.waits.matched_ns, whole.waits.matched_ns);
  for (EntityId thread = 0; thread < whole.timeline.thread_count(); ++thread) {
    const Entity& a = moved.timeline.entities()[thread];
    const Entity& b = whole.timeline.entities()[thread];
    EXPECT_EQ(a.run_ns, b.run_ns);
    EXPECT_EQ(a.wait_ns, b.wait_ns);
    EXPECT_EQ(a.end_ns, b.end_ns);
  }
  ASSERT_EQ(moved.links.size(), whole.links.size());
  for (size_t i = 0; i < moved.links.size(); ++i)
    EXPECT_EQ(moved.links[i].median_ns, whole.links[i].median_ns);
}

}  // namespace
}  // namespace gordian::testing
