// SPDX-License-Identifier: Apache-2.0
// What causal slices cost: CPU time of one thread, and how much of the recording it goes through.
//
// usage: slice_benchmark [--events N] [--threads N[,N…]] [--repeat N] [--directory DIR]
// Generates a session for each number of recorded threads. Tells the least time, in milliseconds,
// - of making the graph,
// - of a forward slice from the first run of a thread with its sums by name, in the scope of
// threads
//   and in that of bursts: of sixteen threads, the one with the most stretches; and how many
//   million events a second that is,
// - of the critical path through all, with its steps.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "bench/cpu_time.h"
#include "bench/over_generated.h"
#include "causes/causes.h"
#include "causes/slice_rows.h"

namespace gordian {
namespace {

struct SliceTime {
  double ms = 1e12;
  uint64_t stretches = 0;
  uint64_t threads = 0;
};

// Forward from the first run of that thread, with the sums by name.
SliceTime TimeOfSlice(const ExecutionGraph& graph, EntityId thread, CausalScope scope) {
  const Timeline& timeline = graph.timeline();
  const SliceNames names = {.name = [&](EntityId id) { return timeline.entities()[id].name; }};
  SegmentCursor at = timeline.SegmentsFrom(thread);
  while (!at.done() && at.segment().kind != SegmentKind::kRun) at.Next();
  const SliceRequest request = {
      .thread = thread,
      .at_ns = at.done() ? timeline.entities()[thread].begin_ns : at.start_ns(),
      .forward = true,
      .scope = scope};
  SliceTime time;
  time.ms = CpuMsOf([&] {
    SliceSums sums(graph, SliceBy::kName, names);
    SweepSlice(graph, request, [&sums](const SliceStretch& stretch) { sums.Add(stretch); });
    const pb::SliceRow all = sums.All();
    time.stretches = all.stretches();
    time.threads = all.threads();
  });
  return time;
}

constexpr EntityId kThreadsTried = 16;

void MeasureSlice(const ExecutionGraph& graph, CausalScope scope, SliceTime& least) {
  for (EntityId thread = 0; thread < std::min(kThreadsTried, graph.timeline().thread_count());
       ++thread) {
    const SliceTime time = TimeOfSlice(graph, thread, scope);
    const bool is_larger = time.stretches > least.stretches;
    if (is_larger || (time.stretches == least.stretches && time.ms < least.ms)) least = time;
  }
}

bool Measure(const std::string& directory, int recorded_threads, int repeat) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return false;
  const auto timeline = LoadTimeline(**session, {.threads = 1});
  if (!timeline.ok()) return false;
  const std::vector<uint8_t> all(timeline->thread_count(), 1);
  const RecordedGraph graph = {.timeline = *timeline, .is_target = all, .only_one_path = true};
  SliceTime of_threads;
  SliceTime of_bursts;
  double graph_ms = 1e12;
  double path_ms = 1e12;
  size_t steps = 0;
  for (int i = 0; i < repeat; ++i) {
    graph_ms = std::min(graph_ms, CpuMsOf([&] { const ExecutionGraph made(*timeline); }));
    const ExecutionGraph execution(*timeline);
    MeasureSlice(execution, CausalScope::kThread, of_threads);
    MeasureSlice(execution, CausalScope::kBurst, of_bursts);
    path_ms = std::min(
        path_ms, CpuMsOf([&] {
          steps = ParticipationWithin(graph, timeline->start_ns(), timeline->end_ns()).path.size();
        }));
  }
  const auto rate = [&](double ms) { return static_cast<double>(timeline->events()) / ms / 1e3; };
  std::printf(
      "%6d threads, %zu events: graph %.0f ms; slice of threads %.0f ms (%.1f million/s, "
      "%zu threads, %zu stretches), of bursts %.0f ms (%.1f million/s, %zu threads, %zu "
      "stretches); path %.0f ms, %zu steps\n",
      recorded_threads, static_cast<size_t>(timeline->events()), graph_ms, of_threads.ms,
      rate(of_threads.ms), static_cast<size_t>(of_threads.threads),
      static_cast<size_t>(of_threads.stretches), of_bursts.ms, rate(of_bursts.ms),
      static_cast<size_t>(of_bursts.threads), static_cast<size_t>(of_bursts.stretches), path_ms,
      steps);
  return true;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  return gordian::MeasureOverGenerated(argc, argv,
                                       {.name = "slice_benchmark",
                                        .about = "What causal slices cost.",
                                        .events = 4'000'000,
                                        .repeat = 3,
                                        .measure = gordian::Measure});
}
