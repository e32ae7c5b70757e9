// SPDX-License-Identifier: Apache-2.0
// What sums of windows cost, and what they save: CPU time of one thread, in turns.
//
// usage: sums_benchmark [--events N] [--threads N[,N…]] [--repeat N] [--directory DIR]
// Generates a session for each number of recorded threads and tells the least time, in
// milliseconds, of making the sums and the graph of all, of the graph without sums, and of the
// graph of a hundredth of the recording with and without them.

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
      least_ms[work] = std::min(least_ms[work], CpuMilliseconds(works[work]));
  }
  const auto events = static_cast<double>(timeline->events());
  std::printf("%11.0f %7d %8.2f %8.2f %8.2f %8.2f %8.2f %8zu %8.2f\n", events, recorded_threads,
              least_ms[0], least_ms[1], least_ms[2], least_ms[3], least_ms[4],
              sums.view().windows(), static_cast<double>(sums.bytes()) / events);
  std::fflush(stdout);
  return true;
}

struct SumsOptions {
  uint64_t events = 5'000'000;
  std::vector<int> threads = {64, 2000};
  int repeat = 5;
  std::string directory = std::filesystem::temp_directory_path();
};

int RunSums(const SumsOptions& options) {
  std::printf("%11s %7s %8s %8s %8s %8s %8s %8s %8s\n", "events", "threads", "sums ms", "all ms",
              "swept ms", "1/100 ms", "swept ms", "windows", "B/event");
  for (const int threads : options.threads) {
    const BenchmarkFolder folder(options.directory);
    const std::string session = folder.path() + "/session";
    if (!GenerateTrace({.events = options.events, .threads = threads}, session).ok() ||
        !Measure(session, threads, options.repeat)) {
      std::fprintf(stderr, "sums_benchmark: %s cannot be measured\n", session.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) try {
  gordian::SumsOptions options;
  CLI::App app("What sums of windows cost, and what they save.");
  app.add_option("--events", options.events, "events to generate");
  app.add_option("--threads", options.threads, "threads in the recording")->delimiter(',');
  app.add_option("--repeat", options.repeat, "times to measure each, the least counts");
  app.add_option("--directory", options.directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return gordian::RunSums(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "sums_benchmark: %s\n", error.what());
  return 1;
}
