// SPDX-License-Identifier: Apache-2.0
// The daemons that a command asks: this machine's, which is a cluster of one, or those of many
// nodes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/control_client.h"

namespace gordian {

// As a command line says it.
struct DaemonChoice {
  std::string socket = "/run/gordian/gordiand.sock";
  std::string nodes;  // as ChooseNodes takes it
  std::string nodes_file;

  // Whether nodes are asked, and not this machine.
  bool is_of_nodes() const { return !nodes.empty() || !nodes_file.empty(); }
};

// By node.
template <typename Response>
using Answers = std::vector<absl::StatusOr<Response>>;

class Cluster {
 public:
  static absl::StatusOr<Cluster> Open(const DaemonChoice& choice);

  bool is_this_machine() const { return reference_.name.empty(); }
  size_t size() const { return clients_.size(); }
  ControlClient& client(size_t index) { return clients_[index]; }
  const Node& node(size_t index) const { return clients_[index].node(); }
  // The node whose clock is the reference: as the file says, else the first.
  const Node& reference() const { return reference_; }

  // Acts for every node at once; statuses by index.
  std::vector<absl::Status> ForEach(const std::function<absl::Status(size_t)>& act);

  // Asks every node at once.
  template <typename Request, typename Response>
  Answers<Response> AskAll(const Rpc<Request, Response>& rpc, const Request& request) {
    Answers<Response> answers(size());
    ForEach([&](size_t index) {
      answers[index] = clients_[index].Ask(rpc, request);
      return answers[index].status();
    });
    return answers;
  }

 private:
  std::vector<ControlClient> clients_;
  Node reference_;
};

}  // namespace gordian
