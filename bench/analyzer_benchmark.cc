// How fast, and in how much memory, the analyzer makes findings of trace files.
//
// usage: analyzer_benchmark [--events N[,N…]] [--threads N[,N…]] [--cpus N[,N…]] [--repeat N]
//                           [--directory DIR]
// Generates a session for each number of events and recorded threads, then analyzes it in a process
// of its own for each number of CPUs to use, and tells the best of its repetitions.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/findings/findings.h"
#include "analyzer/graph/wait_for_graph.h"
#include "bench/apart.h"
#include "bench/trace_generator.h"
#include "trace/session_reader.h"
#include "whatif/predict_findings.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Result {
  uint64_t events = 0;
  double load_s = 0;
  double graph_s = 0;
  double findings_s = 0;
  double predictions_s = 0;  // not part of the whole
  double cpu_s = 0;
  uint64_t edges = 0;
  uint64_t peak_bytes = 0;  // above what the process had before
  double seconds() const { return load_s + graph_s + findings_s; }
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What gordian analyze does besides, unless told --no-predictions.
void Predict(const gordian::Timeline& timeline, const gordian::MergedGraph& merged,
             gordian::pb::Report& report) {
  const gordian::StackSums stacks;
  const gordian::Code code;
  gordian::PredictFindings({.timeline = timeline,
                            .report = report,
                            .vertex_of_entity = merged.vertex_of_entity,
                            .stacks = stacks,
                            .code = code},
                           {.command = "gordian whatif"}, report);
}

bool Analyze(const std::string& directory, int cpus, Result& result) {
  const rusage before = gordian::UsageSoFar();
  const auto start = Clock::now();
  auto session = gordian::SessionReader::Open(directory);
  if (!session.ok()) return false;
  const auto timeline = gordian::LoadTimeline(**session, {.threads = cpus});
  if (!timeline.ok()) return false;
  result.load_s = SecondsSince(start);
  const auto graph_start = Clock::now();
  const gordian::WaitForGraph graph = gordian::BuildWaitForGraph(*timeline, {.threads = cpus});
  result.graph_s = SecondsSince(graph_start);
  const auto findings_start = Clock::now();
  const auto merged = gordian::BuildGraph(graph, {});
  if (!merged.ok()) return false;
  gordian::pb::Report report = gordian::Judge(graph, *merged, {});
  result.findings_s = SecondsSince(findings_start);
  const rusage after = gordian::UsageSoFar();
  result.cpu_s = gordian::CpuSeconds(after) - gordian::CpuSeconds(before);
  result.events = graph.events;
  result.edges = graph.edges.size();
  result.peak_bytes = static_cast<uint64_t>(after.ru_maxrss - before.ru_maxrss) * 1024;
  const auto predictions_start = Clock::now();
  Predict(*timeline, *merged, report);
  result.predictions_s = SecondsSince(predictions_start);
  return true;
}

uint64_t SizeOf(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) bytes += file.file_size();
  return bytes;
}

// The best of `repeat` analyses, as a line of the table.
bool Measure(const std::string& directory, int recorded_threads, int cpus, int repeat) {
  Result best;
  for (int i = 0; i < repeat; ++i) {
    Result result;
    const auto analyze = [&](Result& measured) { return Analyze(directory, cpus, measured); };
    if (!gordian::RunApart<Result>(analyze, result)) return false;
    const bool better = result.seconds() < best.seconds();
    if (i == 0 || better) best = result;
  }
  const auto events = static_cast<double>(best.events);
  std::printf("%11lu %7d %4d %8.3f %8.3f %8.3f %8.3f %8.3f %9.2f %9.1f %10.1f %8lu\n", best.events,
              recorded_threads, cpus, best.load_s, best.graph_s, best.findings_s,
              best.predictions_s, best.cpu_s, 1e-6 * events / best.seconds(),
              static_cast<double>(best.peak_bytes) / events,
              static_cast<double>(SizeOf(directory)) / events, best.edges);
  std::fflush(stdout);
  return true;
}

struct Options {
  std::vector<uint64_t> events = {5'000'000};
  std::vector<int> threads = {64, 2000};
  std::vector<int> cpus = {1, 2};
  int repeat = 3;
  std::string directory = std::filesystem::temp_directory_path();
};

int Run(const Options& options) {
  std::printf("%11s %7s %4s %8s %8s %8s %8s %8s %9s %9s %10s %8s\n", "events", "threads", "cpus",
              "load s", "graph s", "finds s", "pred s", "cpu s", "Mevents/s", "B/event",
              "file B/ev", "edges");
  for (const uint64_t events : options.events) {
    for (const int threads : options.threads) {
      const gordian::BenchmarkFolder folder(options.directory);
      const std::string session = folder.path() + "/session";
      const auto status = gordian::GenerateTrace({.events = events, .threads = threads}, session);
      if (!status.ok()) {
        std::fprintf(stderr, "analyzer_benchmark: %s\n", std::string(status.message()).c_str());
        return 1;
      }
      for (const int cpus : options.cpus) {
        if (Measure(session, threads, cpus, options.repeat)) continue;
        std::fprintf(stderr, "analyzer_benchmark: the analysis of %s failed\n", session.c_str());
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("How fast the analyzer makes findings of trace files.");
  app.add_option("--events", options.events, "events to generate")->delimiter(',');
  app.add_option("--threads", options.threads, "threads in the recording")->delimiter(',');
  app.add_option("--cpus", options.cpus, "CPUs to analyze with")->delimiter(',');
  app.add_option("--repeat", options.repeat, "times to analyze each, the best counts");
  app.add_option("--directory", options.directory, "where to generate; nothing stays there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "analyzer_benchmark: %s\n", error.what());
  return 1;
}
