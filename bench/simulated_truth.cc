// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_truth.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gordian {
namespace {

constexpr const char* kServiceNames[kMostSimulatedServices] = {"gate",  "cart",  "stock", "ledger",
                                                               "audit", "index", "cache", "vault"};
constexpr int kOffsetsOfNode = 16;

bool AreNodes(const std::vector<int>& nodes, int count) {
  for (const int node : nodes)
    if (node < 1 || node >= count) return false;
  return true;
}

std::string NodesText(const SimulatedShape& shape, const SimulatedTruth& truth) {
  std::string text;
  for (int node = 0; node < shape.nodes; ++node) {
    absl::StrAppendFormat(&text, "%s\n    {\"name\": \"%s\", \"drift_ppb\": %d, \"offsets\": [",
                          node == 0 ? "" : ",", SimulatedNodeName(node),
                          truth.drifts_ppb[static_cast<size_t>(node)]);
    const uint64_t step_ns = (truth.end_ns - kSimulatedStartNs) / kOffsetsOfNode + 1;
    for (int i = 0; i <= kOffsetsOfNode; ++i) {
      const uint64_t true_ns = kSimulatedStartNs + static_cast<uint64_t>(i) * step_ns;
      absl::StrAppendFormat(&text, "%s[%d, %d]", i == 0 ? "" : ", ", true_ns,
                            truth.OffsetAt(node, true_ns));
    }
    text += "]}";
  }
  return text;
}

std::string WaitsText(const SimulatedTruth& truth) {
  std::string text;
  for (size_t i = 0; i < truth.waits.size(); ++i) {
    const SimulatedWaits& waits = truth.waits[i];
    absl::StrAppendFormat(
        &text,
        "%s\n    {\"service\": \"%s\", \"for_caller\": %d, \"for_callee\": %d, \"on_way\": %d, "
        "\"for_lock\": %d, \"for_disk\": %d, \"for_cpu\": %d}",
        i == 0 ? "" : ",", truth.service_names[i], waits.for_caller_ns, waits.for_callee_ns,
        waits.on_way_ns, waits.for_lock_ns, waits.for_disk_ns, waits.for_cpu_ns);
  }
  return text;
}

}  // namespace

const char* SimulatedLimitName(SimulatedLimit limit) {
  constexpr const char* kNames[] = {"lock", "disk", "cpu", "link"};
  return kNames[static_cast<size_t>(limit)];
}

std::string SimulatedNodeName(int node) { return absl::StrFormat("n%04d", node); }

std::vector<std::string> SimulatedServiceNames(int services) {
  return {kServiceNames, kServiceNames + services};
}

absl::Status CheckSimulatedShape(const SimulatedShape& shape) {
  const SimulatedDisturbances& disturbed = shape.disturbances;
  const auto wrong = [](const auto&... words) {
    return absl::InvalidArgumentError(absl::StrCat(words...));
  };
  if (shape.nodes < 1 || shape.nodes > kMostSimulatedNodes)
    return wrong("a cluster has 1 to ", kMostSimulatedNodes, " nodes");
  if (shape.threads < 1 || shape.threads > kMostSimulatedThreads)
    return wrong("a cluster has 1 to ", kMostSimulatedThreads, " threads");
  if (shape.services < 2 || shape.services > kMostSimulatedServices)
    return wrong("a cluster has 2 to ", kMostSimulatedServices, " services");
  if (shape.cpus_per_node < 1 || shape.cpus_per_node > 64) return wrong("a node has 1 to 64 CPUs");
  if (shape.limit_service < 0 || shape.limit_service >= shape.services)
    return wrong("services have the numbers 0 to ", shape.services - 1);
  if (disturbed.packets_lost < 0 || disturbed.packets_lost > 0.5)
    return wrong("of packets, a share of 0 to 0.5 can get lost");
  for (const auto* nodes : {&disturbed.pausing, &disturbed.losing, &disturbed.wrong_clocks,
                            &disturbed.absent, &disturbed.old})
    if (!AreNodes(*nodes, shape.nodes))
      return wrong("nodes 1 to ", shape.nodes - 1, " can be disturbed: 0 is the reference");
  return absl::OkStatus();
}

absl::Status WriteTruth(const SimulatedShape& shape, const SimulatedTruth& truth,
                        const std::string& directory) {
  const int limit_service =
      shape.limit == SimulatedLimit::kDisk ? shape.services - 1 : shape.limit_service;
  const std::string path = directory + "/truth.json";
  std::ofstream file(path);
  file << absl::StrFormat(
      "{\n  \"limit\": {\"service\": \"%s\", \"resource\": \"%s\"},\n  \"nodes\": %d,\n"
      "  \"threads\": %d,\n  \"start_ns\": %d,\n  \"end_ns\": %d,\n  \"events\": %d,\n"
      "  \"lost\": %d,\n  \"waits\": %d,\n  \"packet_waits\": %d,\n  \"cross_node_waits\": %d,\n"
      "  \"waits_ns\": [%s\n  ],\n  \"clocks\": [%s\n  ]\n}\n",
      truth.service_names[static_cast<size_t>(limit_service)], SimulatedLimitName(shape.limit),
      shape.nodes, shape.threads, kSimulatedStartNs, truth.end_ns, truth.events, truth.lost,
      truth.all_waits, truth.packet_waits, truth.cross_node_waits, WaitsText(truth),
      NodesText(shape, truth));
  if (!file.flush()) return absl::DataLossError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SimulatedHandOver>> ReadHandOvers(const std::string& directory) {
  const std::string path = directory + "/" + kHandOversFile;
  std::error_code failed;
  const uint64_t bytes = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::vector<SimulatedHandOver> rows(bytes / sizeof(SimulatedHandOver));
  file.read(reinterpret_cast<char*>(rows.data()),
            static_cast<std::streamsize>(rows.size() * sizeof(SimulatedHandOver)));
  if (!file) return absl::DataLossError(absl::StrCat("cannot read all of ", path));
  return rows;
}

}  // namespace gordian
