// SPDX-License-Identifier: Apache-2.0
// How fast, and in how much memory, `gordian phases` reads logs.
//
// usage: log_benchmark [--shape NAME[,NAME…]] [--mb N] [--repeat N] [--directory DIR]
// Generates a log of each shape, then reads it from the file to the job's tree of phases, in a
// process of its own each time. Speed is by CPU time, so that other load matters little: the median
// and the extremes of the repetitions. Memory is the peak above the process's own before.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/apart.h"
#include "bench/log_generator.h"
#include "jobs/phases/read_job.h"

namespace {

struct Result {
  double cpu_s = 0;
  uint64_t lines = 0;
  uint64_t phases = 0;
  uint64_t peak_bytes = 0;
};

struct Options {
  std::vector<std::string> shapes;
  uint64_t mb = 1000;
  int repeat = 3;
  std::string directory = std::filesystem::temp_directory_path();
};

bool Generate(const gordian::LogShape& shape, const std::string& path, uint64_t bytes) {
  std::ofstream file(path, std::ios::binary);
  constexpr uint64_t kPieceBytes = 4u << 20;
  uint64_t line = 0;
  for (uint64_t written = 0; written < bytes && file;) {
    std::string piece;
    gordian::AppendLog(shape, std::min(bytes - written, kPieceBytes), line, piece);
    file << piece;
    written += piece.size();
  }
  return static_cast<bool>(file.flush());
}

bool Read(const gordian::LogShape& shape, const std::string& path, Result& result) {
  gordian::JobInputs inputs;
  auto model = gordian::LoadModel(shape.model);
  if (!model.ok()) return false;
  inputs.model = *std::move(model);
  inputs.logs = {path};
  const rusage before = gordian::UsageSoFar();
  const auto reading = gordian::ReadJob(inputs);
  const rusage after = gordian::UsageSoFar();
  if (!reading.ok()) {
    std::fprintf(stderr, "%s\n", std::string(reading.status().message()).c_str());
    return false;
  }
  result.cpu_s = gordian::CpuSeconds(after) - gordian::CpuSeconds(before);
  result.lines = reading->log_lines;
  result.phases = reading->job.phases.size();
  result.peak_bytes = static_cast<uint64_t>(after.ru_maxrss - before.ru_maxrss) * 1024;
  return true;
}

bool Measure(const gordian::LogShape& shape, const Options& options) {
  const gordian::BenchmarkFolder folder(options.directory);
  const std::string path = folder.path() + "/worker.log";
  if (!Generate(shape, path, options.mb * 1'000'000)) return false;
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::vector<double> speeds;
  Result result;
  for (int i = 0; i < options.repeat; ++i) {
    const auto read = [&](Result& one) { return Read(shape, path, one); };
    if (!gordian::RunApart<Result>(read, result)) return false;
    speeds.push_back(megabytes / result.cpu_s);
  }
  std::sort(speeds.begin(), speeds.end());
  std::printf("%-12s %8.0f %7.0f %7.0f %9lu %9lu %9.0f  %s\n", shape.name,
              speeds[speeds.size() / 2], speeds.front(), speeds.back(), result.lines, result.phases,
              static_cast<double>(result.peak_bytes) / (1u << 20), shape.about);
  std::fflush(stdout);
  return true;
}

int Run(const Options& options) {
  std::printf("%-12s %8s %7s %7s %9s %9s %9s\n", "shape", "MB/s", "least", "most", "lines",
              "phases", "peak MiB");
  for (const gordian::LogShape& shape : gordian::LogShapes()) {
    const bool wanted = options.shapes.empty() ||
                        std::count(options.shapes.begin(), options.shapes.end(), shape.name) > 0;
    if (wanted && !Measure(shape, options)) {
      std::fprintf(stderr, "log_benchmark: %s failed\n", shape.name);
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("How fast logs are read.");
  app.add_option("--shape", options.shapes, "shapes of logs; all without")->delimiter(',');
  app.add_option("--mb", options.mb, "size of each log, in MB")->check(CLI::PositiveNumber);
  app.add_option("--repeat", options.repeat, "times to read each")->check(CLI::PositiveNumber);
  app.add_option("--directory", options.directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "log_benchmark: %s\n", error.what());
  return 1;
}
