// SPDX-License-Identifier: Apache-2.0
// A benchmark's main function over generated sessions, one for each number of recorded threads.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/apart.h"
#include "bench/trace_generator.h"

namespace gordian {

struct OverGenerated {
  const char* name;
  const char* about;
  uint64_t events = 5'000'000;
  int repeat = 5;
  const char* header = "";  // above the rows
  // Of the session in a folder: prints a row, or returns false.
  bool (*measure)(const std::string& directory, int recorded_threads, int repeat);
};

inline int MeasureOverGenerated(int argc, char** argv, const OverGenerated& benchmark) try {
  uint64_t events = benchmark.events;
  int repeat = benchmark.repeat;
  std::vector<int> threads = {64, 2000};
  std::string directory = std::filesystem::temp_directory_path();
  CLI::App app(benchmark.about);
  app.add_option("--events", events, "events to generate");
  app.add_option("--threads", threads, "threads in the recording")->delimiter(',');
  app.add_option("--repeat", repeat, "times to measure each, the least counts");
  app.add_option("--directory", directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*benchmark.header != 0) std::puts(benchmark.header);
  for (const int recorded_threads : threads) {
    const BenchmarkFolder folder(directory);
    const std::string session = folder.path() + "/session";
    if (!GenerateTrace({.events = events, .threads = recorded_threads}, session).ok() ||
        !benchmark.measure(session, recorded_threads, repeat)) {
      std::fprintf(stderr, "%s: %s cannot be measured\n", benchmark.name, session.c_str());
      return 1;
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", benchmark.name, error.what());
  return 1;
}

}  // namespace gordian
