// SPDX-License-Identifier: Apache-2.0
// What sums of windows cost, and what they save: CPU time of one thread, in turns.
//
// usage: sums_benchmark [--events N] [--threads N[,N…]] [--repeat N] [--directory DIR]
// Generates a session for each number of recorded threads and tells the least time, in
// milliseconds, of making the sums and the graph of all, of the graph without sums, and of the
// graph of a hundredth of the recording with and without them.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "bench/cpu_time.h"
#include "bench/over_generated.h"

namespace gordian {
namespace {

bool Measure(const std::string& directory, int recorded_threads, int repeat) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return false;
  const auto timeline = LoadTimeline(**session, {.threads = 1});
  if (!timeline.ok()) return false;
  const Waits waits(*timeline, {.threads = 1});
  const uint64_t length_ns = timeline->end_ns() - timeline->start_ns();
  const WaitForGraphOptions all = {.threads = 1};
  const WaitForGraphOptions hundredth = {.from_ns = timeline->start_ns() + length_ns / 2,
                                         .to_ns = timeline->start_ns() + length_ns / 100 * 51,
                                         .threads = 1};
  constexpr double kMany = 1e12;
  double least_ms[5] = {kMany, kMany, kMany, kMany, kMany};
  WindowSums sums;
  for (int i = 0; i < repeat; ++i) {
    const std::function<void()> works[] = {[&] { sums = WindowSums(waits, {.threads = 1}); },
                                           [&] { GraphOver(waits, sums.view(), all); },
                                           [&] { BuildWaitForGraph(waits, all); },
                                           [&] { GraphOver(waits, sums.view(), hundredth); },
                                           [&] { BuildWaitForGraph(waits, hundredth); }};
    for (size_t work = 0; work < std::size(works); ++work)
      least_ms[work] = std::min(least_ms[work], CpuMsOf(works[work]));
  }
  const auto events = static_cast<double>(timeline->events());
  std::printf("%11.0f %7d %8.2f %8.2f %8.2f %8.2f %8.2f %8zu %8.2f\n", events, recorded_threads,
              least_ms[0], least_ms[1], least_ms[2], least_ms[3], least_ms[4],
              sums.view().windows(), static_cast<double>(sums.bytes()) / events);
  std::fflush(stdout);
  return true;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  return gordian::MeasureOverGenerated(
      argc, argv,
      {.name = "sums_benchmark",
       .about = "What sums of windows cost, and what they save.",
       .events = 5'000'000,
       .repeat = 5,
       .header =
           "     events threads  sums ms   all ms swept ms 1/100 ms swept ms  windows  B/event",
       .measure = gordian::Measure});
}
