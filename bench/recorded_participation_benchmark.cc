// SPDX-License-Identifier: Apache-2.0
// What critical participation costs beside the graph: CPU time of one thread, in turns.
//
// usage: recorded_participation_benchmark [--events N] [--threads N[,N…]] [--repeat N]
//                                         [--directory DIR]
// Generates a session for each number of recorded threads and tells the least time, in
// milliseconds, of the graph, of participation in windows of 100,000
// events or so, of participation in one window, and of one such window alone (as a live view asks);
// and how many million events a second the first two take together.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "bench/cpu_time.h"
#include "bench/over_generated.h"
#include "participation/recorded_participation.h"

namespace gordian {
namespace {

bool Measure(const std::string& directory, int recorded_threads, int repeat) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return false;
  const auto timeline = LoadTimeline(**session, {.threads = 1});
  if (!timeline.ok()) return false;
  const Waits waits(*timeline, {.threads = 1});
  const std::vector<uint8_t> all(timeline->thread_count(), 1);
  const RecordedGraph graph = {.timeline = *timeline, .is_target = all};
  const uint64_t start_ns = timeline->start_ns();
  const uint64_t end_ns = timeline->end_ns();
  const uint64_t parts = std::max<uint64_t>(1, timeline->events() / 100'000);
  const auto windows = WindowsOf(start_ns, end_ns, (end_ns - start_ns) / parts + 1);
  constexpr double kMany = 1e12;
  double least_ms[4] = {kMany, kMany, kMany, kMany};
  for (int i = 0; i < repeat; ++i) {
    const std::function<void()> works[] = {
        [&] { BuildWaitForGraph(waits, {.threads = 1}); },
        [&] { ParticipationOfWindows(graph, windows, 1); },
        [&] { ParticipationWithin(graph, start_ns, end_ns); },
        [&] {
          const ParticipationWindowTimes& middle = windows[windows.size() / 2];
          ParticipationWithin(graph, middle.from_ns, middle.to_ns);
        }};
    for (size_t work = 0; work < std::size(works); ++work)
      least_ms[work] = std::min(least_ms[work], CpuMsOf(works[work]));
  }
  const auto events = static_cast<double>(timeline->events());
  std::printf("%11.0f %7d %8.2f %8.2f %8.2f %8.2f %8.1f\n", events, recorded_threads, least_ms[0],
              least_ms[1], least_ms[2], least_ms[3], events / (least_ms[0] + least_ms[1]) / 1e3);
  std::fflush(stdout);
  return true;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  return gordian::MeasureOverGenerated(
      argc, argv,
      {.name = "recorded_participation_benchmark",
       .about = "What critical participation costs beside the graph.",
       .events = 2'000'000,
       .repeat = 3,
       .header = "     events threads graph ms  windows   one ms  live ms      M/s",
       .measure = gordian::Measure});
}
