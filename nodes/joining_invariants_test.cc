// SPDX-License-Identifier: Apache-2.0
// Properties that hold for any cluster, with any errors of its clocks, its network and its
// recorders. The truth is known, as the clusters are played (bench/cluster_generator.h).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "bench/cluster_generator.h"
#include "nodes/joined_nodes.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr int64_t kMostSkewNs = 5'000'000'000;

ClusterShape AnyShape() {
  ClusterShape shape;
  shape.events = *rc::gen::inRange<uint64_t>(300, 3000);
  shape.nodes = *rc::gen::inRange(2, 6);
  shape.cpus_per_node = *rc::gen::inRange(1, 4);
  shape.groups = *rc::gen::inRange(1, 7);
  shape.groups_across_percent = *rc::gen::elementOf(std::vector{0, 50, 100, 100});
  shape.connections = *rc::gen::inRange(1, 4);
  shape.packets_lost_percent = *rc::gen::elementOf(std::vector{0, 0, 2, 15});
  shape.sends_unrecorded_percent = *rc::gen::elementOf(std::vector{0, 0, 5});
  shape.outside_percent = *rc::gen::elementOf(std::vector{0, 0, 30});
  shape.seed = *rc::gen::arbitrary<uint32_t>();
  return shape;
}

// The told bounds are true: no error is larger than its bound.
void SetAnyClocks(ClusterShape& shape) {
  shape.clocks = {PlayedClock()};
  for (int node = 1; node < shape.nodes; ++node) {
    const auto bound_ns = *rc::gen::inRange<int64_t>(0, 500'000);
    shape.clocks.push_back({.skew_ns = *rc::gen::inRange<int64_t>(-kMostSkewNs, kMostSkewNs),
                            .drift_ppm = *rc::gen::inRange<int64_t>(-100, 101),
                            .error_ns = *rc::gen::inRange<int64_t>(-bound_ns, bound_ns + 1),
                            .bound_ns = static_cast<uint64_t>(bound_ns) + 1});
  }
}

// Off, but known to the nanosecond.
void SetKnownClocks(ClusterShape& shape) {
  shape.clocks = {PlayedClock()};
  for (int node = 1; node < shape.nodes; ++node) {
    shape.clocks.push_back({.skew_ns = *rc::gen::inRange<int64_t>(-kMostSkewNs, kMostSkewNs)});
  }
}

class Played {
 public:
  explicit Played(const ClusterShape& shape) : shape_(shape) {
    auto cluster = GenerateCluster(shape, directory_ / "nodes");
    if (!cluster.ok()) std::abort();
    truth = *std::move(cluster);
  }

  // `rotation`: which node comes first.
  JoinedNodes Join(int threads = 1, size_t rotation = 0) const {
    auto sessions = FindNodeSessions(directory_ / "nodes");
    if (!sessions.ok()) std::abort();
    std::rotate(sessions->begin(),
                sessions->begin() + static_cast<ptrdiff_t>(rotation % sessions->size()),
                sessions->end());
    return Load(*sessions, threads);
  }

  // The same events, recorded on one node.
  JoinedNodes JoinAsOneNode() const {
    if (!GenerateAsOneNode(shape_, directory_ / "one").ok()) std::abort();
    return Load({{.node = "one", .directory = directory_ / "one"}}, 1);
  }

  PlayedCluster truth;

 private:
  static JoinedNodes Load(const std::vector<NodeSession>& sessions, int threads) {
    std::vector<std::string> skipped;
    auto joined = LoadNodes(sessions, {.threads = threads}, {}, skipped);
    if (!joined.ok() || !skipped.empty()) std::abort();
    return *std::move(joined);
  }

  TemporaryDirectory directory_;
  ClusterShape shape_;
};

// One wait, or another stretch of a thread's time, with its parts put together again.
struct Stretch {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  SegmentKind kind = SegmentKind::kUnknown;
  bool by_packet = false;
  const Entity* sender = nullptr;  // until it was sent
  const Entity* link = nullptr;    // from then on
};

std::vector<Stretch> StretchesOf(const Timeline& timeline, EntityId thread) {
  std::vector<Stretch> stretches;
  const auto entity = [&](EntityId id) { return &timeline.entities()[id]; };
  for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kLink) {
      const bool is_second_part = !stretches.empty() && stretches.back().kind == SegmentKind::kWait;
      if (!is_second_part) stretches.push_back({.start_ns = at.start_ns(), .kind = segment.kind});
      Stretch& wait = stretches.back();
      wait.end_ns = at.end_ns();
      wait.by_packet = true;
      wait.link = entity(segment.waker);
      continue;
    }
    stretches.push_back(
        {.start_ns = at.start_ns(),
         .end_ns = at.end_ns(),
         .kind = segment.kind,
         .by_packet = segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kNic});
    if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kThread)
      stretches.back().sender = entity(segment.waker);
  }
  return stretches;
}

std::map<std::string, EntityId> ThreadsByName(const Timeline& timeline) {
  std::map<std::string, EntityId> threads;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    threads[timeline.entities()[id].name] = id;
  }
  return threads;
}

std::string NameOf(int32_t tid) { return absl::StrCat("w", tid); }

uint64_t Apart(uint64_t a_ns, uint64_t b_ns) { return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns; }

// Empty if all is well.
std::string LedgerFaults(const JoinedNodes& joined) {
  const Timeline& timeline = joined.timeline;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    const uint64_t sum_ns =
        entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns;
    if (sum_ns != entity.end_ns - entity.begin_ns) return "no sum: " + entity.name;
    uint64_t before_ns = entity.begin_ns;
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      if (at.start_ns() != before_ns || at.end_ns() < at.start_ns()) return "gap: " + entity.name;
      before_ns = at.end_ns();
      const EntityId waker = at.segment().waker;
      if (waker == id) return "waits for itself: " + entity.name;
      if (waker != kNobody && waker >= timeline.entities().size()) return "nobody is the waker";
    }
    if (before_ns != entity.end_ns) return "ends early: " + entity.name;
  }
  return "";
}

RC_GTEST_PROP(Joining, KeepsEveryStretchWithinTheClocksBounds, ()) {
  ClusterShape shape = AnyShape();
  SetAnyClocks(shape);
  const Played played(shape);
  const JoinedNodes joined = played.Join();
  RC_ASSERT(LedgerFaults(joined) == "");
  for (size_t node = 0; node < joined.nodes.size(); ++node) {
    const JoinedNode& known = joined.nodes[node];
    RC_ASSERT(known.contradictions == 0u);
    RC_ASSERT(known.bound_ns <= known.measured_bound_ns + 1);  // each is told to a nanosecond
    const auto off_ns =
        static_cast<uint64_t>(std::abs(known.offset_ns + shape.clocks[node].skew_ns));
    RC_ASSERT(off_ns <= known.bound_ns + 1);
  }
  // The truth about each thread is the view of one node with one clock.
  const JoinedNodes truth = played.JoinAsOneNode();
  const std::map<std::string, EntityId> in_truth = ThreadsByName(truth.timeline);
  for (EntityId id = 0; id < joined.timeline.thread_count(); ++id) {
    const Entity& thread = joined.timeline.entities()[id];
    const uint64_t bound_ns = joined.nodes[thread.node].bound_ns + 2;
    const std::vector<Stretch> is = StretchesOf(joined.timeline, id);
    const std::vector<Stretch> was = StretchesOf(truth.timeline, in_truth.at(thread.name));
    RC_ASSERT(is.size() == was.size());
    for (size_t i = 0; i < is.size(); ++i) {
      RC_ASSERT(is[i].kind == was[i].kind);
      RC_ASSERT(is[i].by_packet == was[i].by_packet);
      RC_ASSERT(Apart(is[i].start_ns, was[i].start_ns) <= bound_ns);
    }
  }
}

RC_GTEST_PROP(Joining, NamesTheTrueSender, ()) {
  ClusterShape shape = AnyShape();
  SetAnyClocks(shape);
  const Played played(shape);
  const JoinedNodes joined = played.Join();
  std::map<std::string, std::vector<const PlayedMessage*>> messages_of;
  for (const PlayedMessage& message : played.truth.messages) {
    messages_of[NameOf(message.receiver_tid)].push_back(&message);
  }
  uint64_t unmatched = 0;
  for (const auto& [name, id] : ThreadsByName(joined.timeline)) {
    size_t next = 0;
    const std::vector<const PlayedMessage*>& messages = messages_of[name];
    for (const Stretch& stretch : StretchesOf(joined.timeline, id)) {
      if (!stretch.by_packet) continue;
      RC_ASSERT(next < messages.size());
      const PlayedMessage& message = *messages[next++];
      RC_ASSERT((stretch.link != nullptr) == message.recorded);
      if (!message.recorded) {
        ++unmatched;
        continue;
      }
      RC_ASSERT(stretch.link->name ==
                absl::StrCat("link n", message.sender_node, "→n", message.receiver_node));
      if (stretch.sender != nullptr) RC_ASSERT(stretch.sender->name == NameOf(message.sender_tid));
    }
    RC_ASSERT(next == messages.size());
  }
  RC_ASSERT(joined.waits.waits == played.truth.messages.size());
  RC_ASSERT(joined.waits.waits - joined.waits.matched == unmatched);
}

// With known clocks the result is the truth, to the nanosecond: each wait is cut where its message
// was sent.
RC_GTEST_PROP(Joining, CutsWaitsWhereTheirMessageWasSent, ()) {
  ClusterShape shape = AnyShape();
  SetKnownClocks(shape);
  const Played played(shape);
  const JoinedNodes joined = played.Join();
  std::map<std::tuple<std::string, uint64_t>, const PlayedMessage*> message_at;
  for (const PlayedMessage& message : played.truth.messages) {
    message_at[{NameOf(message.receiver_tid), message.woken_ns}] = &message;
  }
  const Timeline& timeline = joined.timeline;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& thread = timeline.entities()[id];
    uint64_t sender_until_ns = 0;
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kLink) {
        const auto message = message_at.find({thread.name, at.end_ns()});
        RC_ASSERT(message != message_at.end());
        const bool sent_before = sender_until_ns != at.start_ns();
        if (sent_before) {
          RC_ASSERT(message->second->sent_ns <= at.start_ns());
        } else {
          RC_ASSERT(message->second->sent_ns == at.start_ns());
        }
      }
      const bool for_thread =
          segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kThread;
      sender_until_ns = for_thread ? at.end_ns() : 0;
    }
  }
}

// By names. All links are one, as they are on one node.
using Edges = std::map<std::pair<std::string, std::string>,
                       std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>>;

Edges EdgesOf(const JoinedNodes& joined, bool links_apart) {
  const WaitForGraph graph = BuildWaitForGraph(joined.timeline, {.threads = 1});
  const auto name = [&](EntityId id) {
    const Entity& entity = graph.entities[id];
    return entity.kind == EntityKind::kLink && !links_apart ? "link" : entity.name;
  };
  Edges edges;
  for (const Edge& edge : graph.edges) {
    auto& [weight_ns, own_ns, count, longest_ns] = edges[{name(edge.from), name(edge.to)}];
    weight_ns += edge.weight_ns;
    own_ns += edge.own_ns;
    count += edge.count;
    longest_ns = std::max(longest_ns, edge.longest_ns);
  }
  return edges;
}

RC_GTEST_PROP(Joining, CascadesAsOneNodeWithOneClockWould, ()) {
  ClusterShape shape = AnyShape();
  SetKnownClocks(shape);
  const Played played(shape);
  const Edges joined = EdgesOf(played.Join(), false);
  const Edges oracle = EdgesOf(played.JoinAsOneNode(), false);
  RC_ASSERT(joined == oracle);
}

std::vector<std::string> StoriesOf(const JoinedNodes& joined) {
  const Timeline& timeline = joined.timeline;
  std::vector<std::string> stories;
  for (const auto& [name, id] : ThreadsByName(timeline)) {
    std::string story = name;
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      const EntityId waker = at.segment().waker;
      absl::StrAppend(&story, " ", at.start_ns(), " ", static_cast<int>(at.segment().kind), " ",
                      waker == kNobody ? "" : timeline.entities()[waker].name);
    }
    stories.push_back(story);
  }
  return stories;
}

RC_GTEST_PROP(Joining, DoesNotDependOnTheOrderOfNodesOrTheNumberOfThreads, ()) {
  ClusterShape shape = AnyShape();
  SetAnyClocks(shape);
  const Played played(shape);
  const JoinedNodes joined = played.Join();
  const auto rotation = *rc::gen::inRange<size_t>(0, 5);
  const JoinedNodes other = played.Join(3, rotation);
  for (const JoinedNode& node : joined.nodes) {
    const auto same = std::find_if(other.nodes.begin(), other.nodes.end(),
                                   [&](const JoinedNode& at) { return at.name == node.name; });
    RC_ASSERT(same != other.nodes.end());
    RC_ASSERT(same->offset_ns == node.offset_ns);
    RC_ASSERT(same->bound_ns == node.bound_ns);
  }
  RC_ASSERT(StoriesOf(joined) == StoriesOf(other));
  RC_ASSERT(EdgesOf(joined, true) == EdgesOf(other, true));
}

}  // namespace
}  // namespace gordian
