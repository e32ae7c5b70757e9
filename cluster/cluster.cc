// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/parallel.h"

namespace gordian {
namespace {

// Nodes do the work; a thread only waits for one.
constexpr int kMaxThreads = 64;

}  // namespace

absl::StatusOr<Cluster> Cluster::Open(const DaemonChoice& choice) {
  Cluster cluster;
  if (!choice.is_of_nodes()) {
    absl::StatusOr<ControlClient> client = ControlClient::Connect(choice.socket);
    if (!client.ok()) return client.status();
    cluster.clients_.push_back(*std::move(client));
    return cluster;
  }
  const absl::StatusOr<NodesFile> file =
      ReadNodesFile(choice.nodes_file.empty() ? DefaultNodesFile() : choice.nodes_file);
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::vector<Node>> nodes = ChooseNodes(*file, choice.nodes);
  if (!nodes.ok()) return nodes.status();
  const absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(file->files, TlsPurpose::kClient);
  if (!identity.ok()) return identity.status();
  // gRPC tells every failed connection on stderr, beside our own message.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  for (const Node& node : *nodes) cluster.clients_.emplace_back(node, *identity);
  const auto reference =
      std::find_if(file->nodes.begin(), file->nodes.end(),
                   [&](const Node& node) { return node.name == file->reference; });
  cluster.reference_ = reference != file->nodes.end() ? *reference : nodes->front();
  return cluster;
}

std::vector<absl::Status> Cluster::ForEach(const std::function<absl::Status(size_t)>& act) {
  std::vector<absl::Status> statuses(size());
  ParallelFor(kMaxThreads, size(),
              [&](size_t index, int /*worker*/) { statuses[index] = act(index); });
  return statuses;
}

}  // namespace gordian
