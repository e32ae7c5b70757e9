// SPDX-License-Identifier: Apache-2.0
// The cost of joining the recordings of nodes: the analysis of some, from trace files to the
// report, against that of the very same events recorded on one node.
//
// usage: joining_benchmark [--events N] [--nodes N] [--across PERCENT[,…]] [--cpus N[,…]]
//                          [--pairs N] [--directory DIR]
// Both are analyzed in turn, each time in a process of its own; ratios are those of pairs. Of the
// nodes, --across percent of the threads pass their work on over the network.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/analysis.h"
#include "bench/apart.h"
#include "bench/cluster_generator.h"

namespace {

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
  double peak_bytes = 0;  // above the process's memory before
  uint64_t events = 0;
  uint64_t waits = 0;
  uint64_t matched = 0;
};

// Of a folder with many nodes, or with one: the same.
bool Analyze(const std::string& directory, int cpus, Cost& cost) {
  const auto analysis = gordian::Analysis::Run(directory, {.threads = cpus});
  if (!analysis.ok()) return false;
  cost.events = analysis->timeline().events();
  if (analysis->nodes() == nullptr) return true;
  cost.waits = analysis->nodes()->waits.waits;
  cost.matched = analysis->nodes()->waits.matched;
  return analysis->report().cluster().left_out().empty();
}

bool Measure(const std::string& directory, int cpus, Cost& cost) {
  const auto measure = [&](Cost& measured) {
    const rusage before = gordian::UsageSoFar();
    const auto start = std::chrono::steady_clock::now();
    const bool ok = Analyze(directory, cpus, measured);
    measured.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const rusage after = gordian::UsageSoFar();
    measured.cpu_s = gordian::CpuSeconds(after) - gordian::CpuSeconds(before);
    measured.peak_bytes = 1024 * static_cast<double>(after.ru_maxrss - before.ru_maxrss);
    return ok;
  };
  return gordian::RunApart<Cost>(measure, cost);
}

struct Options {
  uint64_t events = 6'000'000;
  int nodes = 3;
  std::vector<int> across = {25, 100};
  std::vector<int> cpus = {1, 2};
  int pairs = 5;
  std::string directory = std::filesystem::temp_directory_path();
};

struct Ratios {
  std::vector<double> values;
  void Add(double part, double whole) { values.push_back(part / whole); }
  std::string Text() {
    std::sort(values.begin(), values.end());
    char text[64];
    std::snprintf(text, sizeof(text), "%.2f (%.2f to %.2f)", values[values.size() / 2],
                  values.front(), values.back());
    return text;
  }
};

bool MeasurePairs(const Options& options, const std::string& folder, int across, int cpus) {
  Ratios cpu;
  Ratios wall;
  Ratios memory;
  Cost nodes;
  Cost one;
  for (int i = 0; i < options.pairs; ++i) {
    const auto measure_nodes = [&] { return Measure(folder + "/nodes", cpus, nodes); };
    const auto measure_one = [&] { return Measure(folder + "/one", cpus, one); };
    const bool ok =
        i % 2 == 0 ? measure_nodes() && measure_one() : measure_one() && measure_nodes();
    if (!ok) return false;
    cpu.Add(nodes.cpu_s, one.cpu_s);
    wall.Add(nodes.wall_s, one.wall_s);
    memory.Add(nodes.peak_bytes, one.peak_bytes);
  }
  std::printf(
      "%9lu %6d %4d %9.3f %9.3f  %-21s %-21s %-21s %5.1f of %lu\n", nodes.events, across, cpus,
      nodes.cpu_s, one.cpu_s, cpu.Text().c_str(), wall.Text().c_str(), memory.Text().c_str(),
      100.0 * static_cast<double>(nodes.matched) / static_cast<double>(nodes.waits), nodes.waits);
  std::fflush(stdout);
  return true;
}

bool MeasureAcross(const Options& options, const std::string& folder, int across) {
  gordian::ClusterShape shape{
      .events = options.events, .nodes = options.nodes, .groups_across_percent = across};
  // As clocks of a network are measured: the reference's own is exact.
  shape.clocks.resize(1);
  for (int node = 1; node < options.nodes; ++node) {
    shape.clocks.push_back({.skew_ns = -1'000'000'000 * node,
                            .drift_ppm = 20 * node,
                            .error_ns = 30'000,
                            .bound_ns = 100'000});
  }
  for (const absl::Status& status : {gordian::GenerateCluster(shape, folder + "/nodes").status(),
                                     gordian::GenerateAsOneNode(shape, folder + "/one").status()}) {
    if (status.ok()) continue;
    std::fprintf(stderr, "joining_benchmark: %s\n", std::string(status.message()).c_str());
    return false;
  }
  for (const int cpus : options.cpus) {
    if (MeasurePairs(options, folder, across, cpus)) continue;
    std::fprintf(stderr, "joining_benchmark: the analysis of %s failed\n", folder.c_str());
    return false;
  }
  return true;
}

int Run(const Options& options) {
  std::printf("%9s %6s %4s %9s %9s  %-21s %-21s %-21s %s\n", "events", "across", "cpus", "nodes s",
              "one s", "CPU time, of pairs", "wall", "memory", "matched %");
  for (const int across : options.across) {
    const gordian::BenchmarkFolder folder(options.directory);
    if (!MeasureAcross(options, folder.path(), across)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("What joining the recordings of nodes costs.");
  app.add_option("--events", options.events, "events to generate");
  app.add_option("--nodes", options.nodes, "nodes they are of")->check(CLI::Range(2, 200));
  app.add_option("--across", options.across, "percent of threads that work across nodes")
      ->delimiter(',')
      ->check(CLI::Range(0, 100));
  app.add_option("--cpus", options.cpus, "CPUs to analyze with")->delimiter(',');
  app.add_option("--pairs", options.pairs, "times to analyze both")->check(CLI::Range(1, 1000));
  app.add_option("--directory", options.directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "joining_benchmark: %s\n", error.what());
  return 1;
}
