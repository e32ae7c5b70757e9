// SPDX-License-Identifier: Apache-2.0
// What critical participation costs beside the graph: CPU time of one thread, in turns.
//
// usage: recorded_participation_benchmark [--events N] [--threads N[,N…]] [--repeat N]
//                                         [--directory DIR]
// Generates a session for each number of recorded threads and tells the least time, in
// milliseconds, of the graph, of participation in windows of 100,000
// events or so, of participation in one window, and of one such window alone (as a live view asks);
// and how many million events a second the first two take together.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "bench/apart.h"
#include "bench/trace_generator.h"
#include "participation/recorded_participation.h"

namespace gordian {
namespace {

double CpuMilliseconds(const std::function<void()>& work) {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  work();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  return 1e3 * static_cast<double>(after.tv_sec - before.tv_sec) +
         1e-6 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

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
      least_ms[work] = std::min(least_ms[work], CpuMilliseconds(works[work]));
  }
  const auto events = static_cast<double>(timeline->events());
  std::printf("%11.0f %7d %8.2f %8.2f %8.2f %8.2f %8.1f\n", events, recorded_threads, least_ms[0],
              least_ms[1], least_ms[2], least_ms[3], events / (least_ms[0] + least_ms[1]) / 1e3);
  std::fflush(stdout);
  return true;
}

struct ParticipationBenchmarkOptions {
  uint64_t events = 2'000'000;
  std::vector<int> threads = {64, 2000};
  int repeat = 3;
  std::string directory = std::filesystem::temp_directory_path();
};

int RunParticipation(const ParticipationBenchmarkOptions& options) {
  std::printf("%11s %7s %8s %8s %8s %8s %8s\n", "events", "threads", "graph ms", "windows",
              "one ms", "live ms", "M/s");
  for (const int threads : options.threads) {
    const BenchmarkFolder folder(options.directory);
    const std::string session = folder.path() + "/session";
    if (!GenerateTrace({.events = options.events, .threads = threads}, session).ok() ||
        !Measure(session, threads, options.repeat)) {
      std::fprintf(stderr, "recorded_participation_benchmark: %s cannot be measured\n",
                   session.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) try {
  gordian::ParticipationBenchmarkOptions options;
  CLI::App app("What critical participation costs beside the graph.");
  app.add_option("--events", options.events, "events to generate");
  app.add_option("--threads", options.threads, "threads in the recording")->delimiter(',');
  app.add_option("--repeat", options.repeat, "times to measure each, the least counts");
  app.add_option("--directory", options.directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return gordian::RunParticipation(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "recorded_participation_benchmark: %s\n", error.what());
  return 1;
}
