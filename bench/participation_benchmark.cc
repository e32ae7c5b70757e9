// SPDX-License-Identifier: Apache-2.0
// What participation in activity graphs costs: edges a second of one CPU.
//
// Run: ninja -C build/release participation_benchmark &&
// build/release/bench/participation_benchmark
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "participation/activity_graph.h"
#include "participation/window_paths.h"
#include "trace/activities/activity_writer.h"

namespace gordian {
namespace {

constexpr uint64_t kStepNs = 1'000;
constexpr uint64_t kWindowNs = 10'000'000;
constexpr uint64_t kFileEdges = 2'000'000;

// Workers that compute in steps of a microsecond or so, and send every fourth a message to another;
// one in sixteen waits instead. As many edges as asked for, in order of their beginnings.
template <typename Add>
void MakeGraph(uint64_t edges, uint32_t workers, const Add& add) {
  std::mt19937 random(1);
  for (uint64_t made = 0, step = 0; made < edges; ++step) {
    for (uint32_t worker = 0; worker < workers && made < edges; ++worker, ++made) {
      const uint64_t src_ns = step * kStepNs + worker % 7;
      const bool sends = random() % 4 == 0;
      const auto to = static_cast<uint32_t>(random() % workers);
      const bool waits = random() % 16 == 0;
      add(ActivityEdge{.src_ns = src_ns,
                       .dst_ns = (step + 1) * kStepNs + worker % 7,
                       .src_worker = worker + 1,
                       .dst_worker = worker + 1,
                       .type = 1 + worker % 4,
                       .label = 1 + worker % 32,
                       .traversable = !waits});
      if (!sends) continue;
      ++made;
      add(ActivityEdge{.src_ns = src_ns,
                       .dst_ns = (step + 1) * kStepNs + to % 7,
                       .src_worker = worker + 1,
                       .dst_worker = to + 1,
                       .type = 5,
                       .label = 33});
    }
  }
}

void SolveWindow(benchmark::State& state) {
  std::vector<ActivityEdge> edges;
  MakeGraph(static_cast<uint64_t>(state.range(0)), static_cast<uint32_t>(state.range(1)),
            [&](const ActivityEdge& edge) { edges.push_back(edge); });
  std::stable_sort(edges.begin(), edges.end(), [](const ActivityEdge& a, const ActivityEdge& b) {
    return a.src_ns < b.src_ns;
  });
  const WindowBorders window = {10, edges.back().src_ns};
  WindowPaths solved;
  for (auto _ : state) {
    solved.Solve(edges, window);
    benchmark::DoNotOptimize(solved.crossings().data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(edges.size()));
}
BENCHMARK(SolveWindow)->Args({10'000, 64})->Args({1'000'000, 64})->Args({1'000'000, 4'096});

// A graph in a folder that is gone at the end.
class WrittenGraph {
 public:
  WrittenGraph() {
    std::string made = std::filesystem::temp_directory_path() / "participation-XXXXXX";
    if (::mkdtemp(made.data()) == nullptr) return;
    folder_ = made;
    is_written_ = Write();
  }
  ~WrittenGraph() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  WrittenGraph(const WrittenGraph&) = delete;
  WrittenGraph& operator=(const WrittenGraph&) = delete;

  bool is_written() const { return is_written_; }
  std::string directory() const { return folder_ + "/graph"; }

 private:
  bool Write() const {
    auto writer = ActivityWriter::Create(directory());
    if (!writer.ok()) return false;
    bool added = true;
    MakeGraph(kFileEdges, 64, [&](const ActivityEdge& edge) {
      const std::string src = "worker " + std::to_string(edge.src_worker);
      const std::string dst = "worker " + std::to_string(edge.dst_worker);
      const std::string type = "type " + std::to_string(edge.type);
      const std::string label = "operator " + std::to_string(edge.label);
      added =
          added &&
          (*writer)->Add({src, edge.src_ns, dst, edge.dst_ns, type, label, edge.traversable}).ok();
    });
    pb::ActivityGraph header;
    return added && (*writer)->Finish(header).ok();
  }

  std::string folder_;
  bool is_written_ = false;
};

void WriteFolder(benchmark::State& state) {
  for (auto _ : state) {
    const WrittenGraph graph;
    if (!graph.is_written()) state.SkipWithError("the graph cannot be written");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kFileEdges));
}
BENCHMARK(WriteFolder)->Unit(benchmark::kMillisecond);

// From the files to rows, in windows of 10 ms.
void AskFolder(benchmark::State& state) {
  const WrittenGraph graph;
  std::vector<ParticipationBy> by = {ParticipationBy::kActivity};
  if (state.range(0) == 4)
    by = {ParticipationBy::kActivity, ParticipationBy::kThread, ParticipationBy::kOperator,
          ParticipationBy::kLink};
  for (auto _ : state) {
    const auto answers =
        ParticipationOfGraph(graph.directory(), {.window_ns = kWindowNs, .by = by});
    if (!answers.ok()) state.SkipWithError("the graph cannot be read");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kFileEdges));
}
BENCHMARK(AskFolder)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gordian

BENCHMARK_MAIN();
