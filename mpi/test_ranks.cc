// SPDX-License-Identifier: Apache-2.0
#include "mpi/test_ranks.h"

#include <filesystem>
#include <thread>

#include "bench/cluster_generator.h"
#include "bench/simulated_cluster.h"
#include "mpi/thread_wires.h"
#include "nodes/test_cluster.h"

namespace gordian::testing {

size_t TestRanksOutcome::Count(const std::string& what) const {
  size_t count = 0;
  for (const std::string& line : lines) count += line.find(what) != std::string::npos ? 1 : 0;
  return count;
}

void AskedRanks::GenerateCluster(uint32_t seed, int nodes) {
  recording_ = dir_ / ("recording" + std::to_string(++recordings_));
  const auto made = gordian::GenerateCluster(
      {.events = 40'000,
       .nodes = nodes,
       .cpus_per_node = 2,
       .groups = 9,
       .packets_lost_percent = 3,
       .sends_unrecorded_percent = 2,
       .outside_percent = 10,
       .clocks = {{}, {.skew_ns = 7'000'000, .drift_ppm = 20, .error_ns = 900, .bound_ns = 2'000}},
       .events_per_block = 512,
       .seed = seed},
      recording_);
  ASSERT_TRUE(made.ok()) << made.status();
}

void AskedRanks::GenerateSimulated(uint32_t seed, int nodes) {
  recording_ = dir_ / ("recording" + std::to_string(++recordings_));
  SimulatedShape shape{
      .nodes = nodes,
      .threads = 60,
      .events_per_node = 10'000,
      .cpus_per_node = 2,
      .limit = static_cast<SimulatedLimit>(seed % 4),
      .limit_service = static_cast<SimulatedLimit>(seed % 4) == SimulatedLimit::kDisk ? 2 : 1,
      .seed = seed,
      .tells_hand_overs = false};
  if (nodes > 2) shape.disturbances = {.pausing = {1}, .losing = {2}, .packets_lost = 0.01};
  const auto made = GenerateSimulatedCluster(shape, recording_);
  ASSERT_TRUE(made.ok()) << made.status();
}

void AskedRanks::GeneratePhases() {
  recording_ = dir_ / ("recording" + std::to_string(++recordings_));
  constexpr int kQuestions = 20;
  constexpr uint64_t kEveryNs = 20'000'000;
  constexpr uint32_t kEachBytes = 1'000;
  TestCluster cluster;
  cluster.Node("web").Thread(1, "front");
  cluster.Node("db", {.skew_ns = 3'000'000, .error_ns = 500, .bound_ns = 1'000})
      .Thread(2, "server");
  BeginFrontAndDatabase(cluster);
  for (int i = 0; i < kQuestions; ++i) {
    const uint64_t begin_ns = kEveryNs * static_cast<uint64_t>(i + 1);
    const std::string key = std::to_string(i);
    cluster.At("web", begin_ns, kNoCpu).PhaseBegin(1, i % 2 == 0 ? "Even" : "Odd", key);
    AskFrontAndDatabase(cluster, begin_ns, static_cast<uint32_t>(i) * kEachBytes);
    cluster.At("web", begin_ns + kEveryNs / 2, kNoCpu)
        .Probe(1, ProbeKind::kPhaseEnd, i % 2 == 0 ? "Even" : "Odd");
  }
  cluster.Measure(kEveryNs * (kQuestions + 1));
  cluster.Write(recording_);
}

std::vector<std::string> AskedRanks::MoveToMachines() {
  std::vector<std::string> machines;
  for (const auto& node : std::filesystem::directory_iterator(recording_)) {
    if (!std::filesystem::exists(node.path() / "session.pb")) continue;
    const std::string machine = dir_ / ("machine of " + node.path().filename().string());
    std::filesystem::create_directory(machine);
    std::filesystem::rename(node.path(), machine + "/" + node.path().filename().string());
    machines.push_back(machine);
  }
  return machines;
}

RankRequest AskedRanks::RequestOf(const AnalysisOptions& options) const {
  RankRequest request{.program = "test", .directory = recording_, .analysis = options};
  request.analysis.threads = 1;
  return request;
}

TestRanksOutcome AskedRanks::Ask(const TestRanks& way,
                                 const std::function<absl::Status(const RankWork& work)>& ask,
                                 const AnalysisOptions& options, const std::string& work) const {
  const auto request_of = [&](int rank) {
    RankRequest request = RequestOf(options);
    request.unit_memory.bytes = way.unit_bytes;
    if (!way.directories.empty()) request.directory = way.directories[static_cast<size_t>(rank)];
    return request;
  };
  const auto folder_of = [&](int rank) {
    return WorkFolder::Open(dir_ / (way.own_folders ? work + std::to_string(rank) : work), 1);
  };
  TestRanksOutcome outcome;
  auto wires = ThreadWires(way.ranks);
  std::vector<std::jthread> others;
  for (int rank = 1; rank < way.ranks; ++rank) {
    others.emplace_back([&, rank] {
      Ranks ranks(std::move(wires[static_cast<size_t>(rank)]), {});
      const absl::Status status = ServeRankZero(ranks, folder_of(rank), request_of(rank));
      EXPECT_TRUE(status.ok()) << status;
    });
  }
  RankRequest request = request_of(0);
  request.crew = {.tell = [&](const std::string& line) { outcome.lines.push_back(line); },
                  .seed = way.seed};
  Ranks ranks(std::move(wires[0]), {});
  outcome.status = AskOnRanks(ranks, folder_of(0), request, ask);
  return outcome;
}

}  // namespace gordian::testing
