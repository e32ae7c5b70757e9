// SPDX-License-Identifier: Apache-2.0
#include "cli/ask_daemons.h"

#include <iostream>

#include "recorder/sessions/session_name.h"

namespace gordian {
CLI::Option* AddSessionName(CLI::App& command, const std::string& option, std::string& name,
                            const std::string& description) {
  const auto check = [](const std::string& text) {
    return std::string(CheckSessionName(text).message());
  };
  return command.add_option(option, name, description)
      ->check(CLI::Validator(check, ""))
      ->type_name("");
}

void AddDaemonOptions(CLI::App& command, DaemonChoice& choice) {
  command.add_option("--socket", choice.socket, "Where gordiand listens")
      ->type_name("PATH")
      ->capture_default_str();
  AddNodeOptions(command, choice);
}

void AddNodeOptions(CLI::App& command, DaemonChoice& choice) {
  command
      .add_option("--nodes", choice.nodes, "Ask these nodes, not this machine: a,b,@group, or all")
      ->type_name("NODES");
  command
      .add_option("--nodes-file", choice.nodes_file,
                  "Where nodes are described (default ~/.config/gordian/nodes.yaml)")
      ->type_name("FILE");
}

void TellFailure(const Cluster& cluster, size_t node, const absl::Status& status) {
  std::cerr << "gordian: ";
  if (!cluster.is_this_machine()) std::cerr << cluster.node(node).name << ": ";
  std::cerr << MessageOf(status) << "\n";
}

int TellFailures(const CLI::App& command, const Cluster& cluster,
                 const std::vector<absl::Status>& statuses) {
  int code = kExitSuccess;
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    if (cluster.is_this_machine() && absl::IsInvalidArgument(statuses[i])) {
      return FailUsage(command, MessageOf(statuses[i]));
    }
    TellFailure(cluster, i, statuses[i]);
    code = kExitFailure;
  }
  return code;
}

}  // namespace gordian
