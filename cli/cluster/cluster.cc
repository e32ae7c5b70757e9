#include "cli/cluster/cluster.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/cluster/parallel.h"
#include "cli/verb.h"

namespace gordian {
namespace {

// Nodes do the work; a thread only waits for one.
constexpr size_t kMaxThreads = 64;

}  // namespace

void AddNodeOptions(CLI::App& command, NodeArguments& arguments) {
  command
      .add_option("--nodes", arguments.nodes,
                  "Ask these nodes, not this machine: a,b,@group, or all")
      ->type_name("NODES");
  command
      .add_option("--nodes-file", arguments.nodes_file,
                  "Where nodes are described (default ~/.config/gordian/nodes.yaml)")
      ->type_name("FILE");
}

absl::StatusOr<Cluster> Cluster::Open(const NodeArguments& arguments) {
  const absl::StatusOr<NodesFile> file =
      ReadNodesFile(arguments.nodes_file.empty() ? DefaultNodesFile() : arguments.nodes_file);
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::vector<Node>> nodes = ChooseNodes(*file, arguments.nodes);
  if (!nodes.ok()) return nodes.status();
  const absl::StatusOr<TlsIdentity> identity = LoadTlsIdentity(file->files, TlsPurpose::kClient);
  if (!identity.ok()) return identity.status();
  // gRPC tells every failed connection on stderr, beside what we say about it.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  Cluster cluster;
  for (const Node& node : *nodes) {
    cluster.clients_.push_back(std::make_unique<NodeClient>(node, *identity));
  }
  const auto reference =
      std::find_if(file->nodes.begin(), file->nodes.end(),
                   [&](const Node& node) { return node.name == file->reference; });
  cluster.reference_ = reference != file->nodes.end() ? *reference : nodes->front();
  return cluster;
}

std::vector<absl::Status> Cluster::ForEach(const std::function<absl::Status(size_t)>& act) {
  std::vector<absl::Status> statuses(size());
  ForEachInParallel(size(), kMaxThreads, [&](size_t index) { statuses[index] = act(index); });
  return statuses;
}

size_t TellFailures(const Cluster& cluster, const std::vector<absl::Status>& statuses) {
  size_t failures = 0;
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    ++failures;
    std::cerr << "gordian: " << cluster.node(i).name << ": " << MessageOf(statuses[i]) << "\n";
  }
  return failures;
}

int ExitCodeOf(size_t failures) { return failures == 0 ? kExitSuccess : kExitFailure; }

}  // namespace gordian
