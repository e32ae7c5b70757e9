// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_cluster.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/simulated_run.h"
#include "bench/simulated_truth.h"

namespace gordian {
namespace {

constexpr uint64_t kUsualWorkNs = 8'000;
constexpr uint64_t kUsualHoldNs = 1'000;
constexpr uint64_t kUsualDiskNs = 2'000;
// A lane alone takes about so long for a round, on the network and CPUs.
constexpr uint64_t kRoundOfLaneNs = 300'000;
// Lanes ask so much more of the limit than it can do: then all else waits for it.
constexpr uint64_t kDemand = 3;
constexpr size_t kBufferedEvents = size_t{4} << 20;  // of all streams

}  // namespace

absl::StatusOr<SimulatedTruth> ClusterSimulation::Run() {
  if (auto status = Open(); !status.ok()) return status;
  TellThreads();
  const uint64_t wanted = shape_.events_per_node * static_cast<uint64_t>(shape_.nodes);
  for (uint32_t lane = 0; lane < places_.lanes(); ++lane) {
    // All within the time of a round, or as quickly as CPUs take them.
    Plan(kSimulatedStartNs + 1'000 + uint64_t{lane} * kRoundOfLaneNs / places_.lanes(),
         {.subject = lane * Services(), .what = SimulatedDue::What::kBegin});
  }
  while (happened_ < wanted && !due_.empty()) {
    const SimulatedDue due = due_.top();
    due_.pop();
    now_ns_ = due.time_ns;
    Act(due);
  }
  return Finish();
}

absl::Status ClusterSimulation::Open() {
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  if (failed)
    return absl::UnavailableError(absl::StrCat("cannot make ", directory_, ": ", failed.message()));
  if (!std::filesystem::is_empty(directory_, failed))
    return absl::AlreadyExistsError(
        absl::StrCat("something is in ", directory_, ": name a folder that is empty or not there"));
  // Each node has a file for each CPU, and one for its threads.
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const auto streams =
      static_cast<size_t>(shape_.nodes) * static_cast<size_t>(shape_.cpus_per_node);
  const SimulatedDisturbances& disturbed = shape_.disturbances;
  nodes_.resize(static_cast<size_t>(shape_.nodes));
  locks_.resize(static_cast<size_t>(shape_.nodes) * Services());
  threads_.resize(places_.threads());
  const auto is_in = [](const std::vector<int>& nodes, int node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  for (int node = 0; node < shape_.nodes; ++node) {
    SimulatedClock clock;
    if (node > 0) {
      clock.skew_ns = static_cast<int64_t>(Random() % 20'000'000'000) - 10'000'000'000;
      clock.drift_ppb = static_cast<int64_t>(Random() % 100'000) - 50'000;
    }
    truth_.skews_ns.push_back(clock.skew_ns);
    truth_.drifts_ppb.push_back(clock.drift_ppb);
    recorders_.emplace_back(
        SimulatedRecorderOptions{
            .node = node,
            .cpus = shape_.cpus_per_node,
            .clock = clock,
            .events_per_block = std::clamp<size_t>(kBufferedEvents / streams, 256, 1 << 14),
            .pauses = is_in(disturbed.pausing, node),
            .loses = is_in(disturbed.losing, node),
            .has_wrong_clock = is_in(disturbed.wrong_clocks, node),
            .is_absent = is_in(disturbed.absent, node),
            .is_old = is_in(disturbed.old, node)},
        encoder_);
    if (auto status =
            recorders_.back().Open(absl::StrCat(directory_, "/", SimulatedNodeName(node)));
        !status.ok())
      return status;
    nodes_[static_cast<size_t>(node)].running.assign(static_cast<size_t>(shape_.cpus_per_node),
                                                     kNobodyRuns);
    nodes_[static_cast<size_t>(node)].idle = ~uint64_t{0} >> (64 - shape_.cpus_per_node);
  }
  truth_.service_names = SimulatedServiceNames(shape_.services);
  truth_.waits.resize(Services());
  if (shape_.tells_hand_overs) hand_overs_.open(directory_ + "/" + kHandOversFile);
  SetWork();
  return absl::OkStatus();
}

void ClusterSimulation::SetWork() {
  work_ns_.assign(Services(), kUsualWorkNs);
  hold_ns_.assign(Services(), kUsualHoldNs);
  disk_ns_ = kUsualDiskNs;
  const auto service = static_cast<size_t>(shape_.limit_service);
  uint64_t sharing = 1;
  uint64_t on_node = 1;  // services that share a node with it
  for (int node = 0; node < shape_.nodes; ++node) {
    sharing = std::max<uint64_t>(sharing, places_.ThreadsAt(node, shape_.limit_service));
    uint64_t here = 0;
    for (int s = 0; s < shape_.services; ++s) here += places_.IsAt(node, s) ? 1 : 0;
    on_node = std::max(on_node, here);
  }
  const auto cpus = static_cast<uint64_t>(shape_.cpus_per_node);
  const uint64_t all_work_ns = 2 * kUsualWorkNs * on_node * kDemand;
  const uint64_t one_by_one_ns = std::max(kDemand * kRoundOfLaneNs / sharing, all_work_ns / cpus);
  switch (shape_.limit) {
    case SimulatedLimit::kLock:
      hold_ns_[service] = one_by_one_ns;
      break;
    case SimulatedLimit::kDisk:
      disk_ns_ = one_by_one_ns;
      break;
    case SimulatedLimit::kCpu:
      work_ns_[service] = std::max(kDemand * kRoundOfLaneNs * cpus / sharing, all_work_ns);
      break;
    case SimulatedLimit::kLink:
      break;
  }
}

TaskRecord ClusterSimulation::TaskOf(uint32_t thread) const {
  const int service = places_.ServiceOf(thread);
  return {.tid = places_.TidOf(thread),
          .tgid = SimulatedPlaces::PidOf(service),
          .parent_tid = SimulatedPlaces::PidOf(service),
          .namespaced_tid = places_.TidOf(thread),
          .state = kStateInterruptible,
          .start_time_ns = 1,
          .comm = absl::StrCat(truth_.service_names[static_cast<size_t>(service)], "-",
                               places_.LaneOf(thread))};
}

void ClusterSimulation::TellProcesses(int node, SimulatedRecorder& recorder) const {
  for (int service = 0; service < shape_.services; ++service) {
    if (!places_.IsAt(node, service)) continue;
    const int32_t pid = SimulatedPlaces::PidOf(service);
    recorder.AddTask({.tid = pid,
                      .tgid = pid,
                      .parent_tid = 1,
                      .namespaced_tid = pid,
                      .state = kStateInterruptible,
                      .start_time_ns = 1,
                      .comm = truth_.service_names[static_cast<size_t>(service)]});
  }
}

void ClusterSimulation::TellThreads() {
  threads_on_.resize(nodes_.size());
  for (int node = 0; node < shape_.nodes; ++node)
    TellProcesses(node, recorders_[static_cast<size_t>(node)]);
  for (uint32_t thread = 0; thread < places_.threads(); ++thread) {
    SimulatedRecorder& recorder = RecorderOf(thread);
    recorder.AddTask(TaskOf(thread));
    threads_on_[static_cast<size_t>(places_.NodeOf(thread))].push_back(thread);
    threads_[thread].request_sequence = static_cast<uint32_t>(Random() >> 32);
    threads_[thread].answer_sequence = static_cast<uint32_t>(Random() >> 32);
    if (IsLast(thread)) continue;
    for (const SimulatedWay way : {SimulatedWay::kRequest, SimulatedWay::kAnswer}) {
      recorder.AddFlow(places_.Flow(thread, way, true));
      if (places_.NodeOf(thread) != places_.NodeOf(thread + 1))
        RecorderOf(thread + 1).AddFlow(places_.Flow(thread, way, false));
    }
  }
}

absl::StatusOr<SimulatedTruth> ClusterSimulation::Finish() {
  truth_.end_ns = now_ns_ + kDispatchNs;
  for (SimulatedRecorder& recorder : recorders_) {
    const auto status = recorder.Finish(truth_.end_ns, SimulatedNodeName(0), shape_.seed);
    if (!status.ok()) return status;
    truth_.events += recorder.events();
    truth_.lost += recorder.lost();
  }
  if (shape_.tells_hand_overs && !hand_overs_.flush())
    return absl::DataLossError(absl::StrCat("cannot write ", directory_, "/", kHandOversFile));
  if (auto status = WriteTruth(shape_, truth_, directory_); !status.ok()) return status;
  return std::move(truth_);
}

absl::StatusOr<SimulatedTruth> GenerateSimulatedCluster(const SimulatedShape& shape,
                                                        const std::string& directory) {
  if (auto status = CheckSimulatedShape(shape); !status.ok()) return status;
  return ClusterSimulation(shape, directory).Run();
}

}  // namespace gordian
