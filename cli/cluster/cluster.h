// The nodes a command line chose, ready to be asked.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/cluster/node_client.h"

namespace gordian {

struct NodeArguments {
  std::string nodes;
  std::string nodes_file;
  bool given() const { return !nodes.empty() || !nodes_file.empty(); }
};

// Adds --nodes and --nodes-file. Without them a verb asks the daemon of this machine.
void AddNodeOptions(CLI::App& command, NodeArguments& arguments);

class Cluster {
 public:
  static absl::StatusOr<Cluster> Open(const NodeArguments& arguments);

  size_t size() const { return clients_.size(); }
  NodeClient& client(size_t index) { return *clients_[index]; }
  const Node& node(size_t index) const { return clients_[index]->node(); }
  // The node whose clock is the reference: as the file says, else the first.
  const Node& reference() const { return reference_; }

  // Asks every node at once; statuses by index.
  std::vector<absl::Status> ForEach(const std::function<absl::Status(size_t)>& act);

 private:
  std::vector<std::unique_ptr<NodeClient>> clients_;
  Node reference_;
};

// One line on stderr for each that failed; how many did.
size_t TellFailures(const Cluster& cluster, const std::vector<absl::Status>& statuses);
// The exit code after some of all nodes failed.
int ExitCodeOf(size_t failures);

}  // namespace gordian
