// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario_timeline.h"
#include "analyzer/waits/stays.h"
#include "bench/any_cluster.h"
#include "bench/cluster_generator.h"
#include "causes/causes.h"
#include "causes/span_cause.h"
#include "causes/test_literal_slice.h"
#include "nodes/joined_nodes.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// At something that the thread did, next to it, or at any time.
uint64_t AnyMomentOf(const Timeline& timeline, EntityId thread) {
  uint64_t time_ns = *rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1);
  const int how = *rc::gen::inRange(0, 4);
  if (how > 1) {
    const SegmentCursor at = timeline.SegmentsFrom(thread, time_ns);
    if (!at.done()) time_ns = at.start_ns();
  }
  if (how == 3) time_ns += *rc::gen::element<uint64_t>(1, UINT64_MAX);
  return std::clamp(time_ns, timeline.start_ns(), timeline.end_ns());
}

std::vector<ThreadPhase> AnyPhasesOf(const Timeline& timeline) {
  std::vector<ThreadPhase> phases;
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    uint64_t time_ns = timeline.start_ns();
    for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
      const uint64_t from_ns = time_ns + *rc::gen::inRange<uint64_t>(0, length_ns / 4 + 1);
      const uint64_t to_ns = from_ns + *rc::gen::inRange<uint64_t>(1, length_ns / 2 + 2);
      phases.push_back({thread, from_ns, to_ns, *rc::gen::inRange(1u, 4u)});
      time_ns = to_ns;
    }
  }
  return phases;
}

SliceRequest AnyRequest(const Timeline& timeline) {
  SliceRequest request;
  request.thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
  request.at_ns = AnyMomentOf(timeline, request.thread);
  request.forward = *rc::gen::arbitrary<bool>();
  request.scope = static_cast<CausalScope>(*rc::gen::inRange(0, 4));
  if (*rc::gen::inRange(0, 3) == 0) request.max_hops = *rc::gen::inRange(0u, 6u);
  if (*rc::gen::inRange(0, 3) == 0) request.max_network_hops = *rc::gen::inRange(0u, 3u);
  if (*rc::gen::inRange(0, 4) == 0)
    request.edge_kinds = static_cast<uint8_t>(*rc::gen::inRange(0, kAllCauseEdges + 1));
  if (*rc::gen::inRange(0, 4) == 0) request.from_ns = AnyMomentOf(timeline, request.thread);
  if (*rc::gen::inRange(0, 4) == 0) request.to_ns = AnyMomentOf(timeline, request.thread);
  return request;
}

std::string Told(const SliceParts& parts) {
  std::string text;
  for (const auto& [thread, from_ns, to_ns] : parts)
    absl::StrAppend(&text, " ", thread, ":", from_ns, "-", to_ns);
  return text;
}

void ExpectLiteralSlices(const Timeline& timeline, int requests) {
  if (timeline.thread_count() == 0) return;
  const std::vector<ThreadPhase> phases = AnyPhasesOf(timeline);
  const ExecutionGraph graph(timeline, phases);
  for (int i = 0; i < requests; ++i) {
    const SliceRequest request = AnyRequest(timeline);
    const Slice slice = SliceOf(graph, request, *rc::gen::inRange(1, 3));
    const SliceParts literal = LiteralSlice(graph, request);
    const SliceParts swept = PartsOf(slice);
    if (literal != swept)
      RC_LOG() << request.thread << " at " << request.at_ns << (request.forward ? " forward" : "")
               << " scope " << static_cast<int>(request.scope) << " hops " << request.max_hops
               << ", " << request.max_network_hops << " kinds " << int{request.edge_kinds}
               << " within " << request.from_ns << "-" << request.to_ns << "\nliteral"
               << Told(literal) << "\nswept" << Told(swept);
    RC_ASSERT(literal == swept);
    for (const SliceStretch& stretch : slice.stretches) {
      RC_ASSERT(stretch.from_ns < stretch.to_ns);
      const bool follows =
          stretch.number == 0 ? stretch.parent == kNoStretch : stretch.parent < stretch.number;
      RC_ASSERT(follows);
    }
    RC_ASSERT(slice.counts.stretches == slice.stretches.size());
    RC_ASSERT(slice.counts.hops <= request.max_hops);
  }
}

// What a span came from is what a slice back from its first nanosecond finds over one edge.
void ExpectCauseOfSlices(const ExecutionGraph& graph, EntityId thread, uint64_t begin_ns,
                         const SpanCause& cause) {
  const Slice slice = SliceOf(
      graph,
      {.thread = thread, .at_ns = begin_ns + 1, .scope = CausalScope::kBurst, .max_hops = 1});
  if (!cause.edge) {
    RC_ASSERT(slice.stretches.size() == 1u);
    return;
  }
  RC_ASSERT(slice.stretches.size() == (cause.from_ns > graph.timeline().start_ns() ? 2u : 1u));
  if (slice.stretches.size() == 1) return;
  RC_ASSERT(slice.stretches[1].thread == cause.from);
  RC_ASSERT(slice.stretches[1].edge == *cause.edge);
  RC_ASSERT(slice.stretches[1].to_ns == cause.from_ns);
}

void ExpectCausesOfSlices(const Timeline& timeline) {
  const ExecutionGraph graph(timeline);
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    bool is_first = true;
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.start_ns() >= at.end_ns()) continue;
      const bool is_wait = StayOf(timeline, thread, at).is_wait;
      if (std::exchange(is_first, false) && !is_wait)
        ExpectCauseOfSlices(graph, thread, at.start_ns(), CauseOfBirth(graph, thread));
      SegmentCursor next = at;
      do next.Next();
      while (!next.done() && next.start_ns() >= next.end_ns());
      if (is_wait && !next.done() && !StayOf(timeline, thread, next).is_wait)
        ExpectCauseOfSlices(graph, thread, at.end_ns(), CauseOfWaitEnd(graph, thread, at));
    }
  }
}

RC_GTEST_PROP(SliceOf, IsThatOfItsDefinitionForRandomRecordings, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const ScenarioTimeline recorded(RandomScenario(seed, *rc::gen::inRange(10, 300)));
  ExpectLiteralSlices(recorded.timeline(), 8);
  ExpectCausesOfSlices(recorded.timeline());
}

RC_GTEST_PROP(SliceOf, IsThatOfItsDefinitionForRandomClusters, ()) {
  ClusterShape shape = AnySmallCluster(100, 400);
  for (int node = 0; node < shape.nodes; ++node)
    shape.clocks.push_back({.skew_ns = node * 1000, .error_ns = 0, .bound_ns = 50'001});
  const TemporaryDirectory directory;
  if (!GenerateCluster(shape, directory / "nodes").ok()) std::abort();
  const auto sessions = FindNodeSessions(directory / "nodes");
  if (!sessions.ok()) std::abort();
  std::vector<std::string> skipped;
  auto joined = LoadNodes(*sessions, {.threads = 1}, {}, skipped);
  if (!joined.ok()) std::abort();
  ExpectLiteralSlices(joined->timeline, 4);
  ExpectCausesOfSlices(joined->timeline);
}

// What one moment led to, and what led to another: each holds the other's moment or neither does.
RC_GTEST_PROP(SliceOf, ForwardAndBackwardMeet, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const ScenarioTimeline recorded(RandomScenario(seed, *rc::gen::inRange(10, 300)));
  const Timeline& timeline = recorded.timeline();
  const ExecutionGraph graph(timeline);
  SliceRequest forward = AnyRequest(timeline);
  forward.forward = true;
  SliceRequest backward = forward;
  backward.forward = false;
  backward.thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
  backward.at_ns = AnyMomentOf(timeline, backward.thread);
  const auto holds = [](const Slice& slice, EntityId thread, uint64_t from_ns) {
    return std::any_of(
        slice.stretches.begin(), slice.stretches.end(), [&](const SliceStretch& stretch) {
          return stretch.thread == thread && stretch.from_ns <= from_ns && from_ns < stretch.to_ns;
        });
  };
  RC_PRE(backward.at_ns > 0u);
  RC_ASSERT(holds(SliceOf(graph, forward), backward.thread, backward.at_ns - 1) ==
            holds(SliceOf(graph, backward), forward.thread, forward.at_ns));
}

}  // namespace
}  // namespace gordian
