// SPDX-License-Identifier: Apache-2.0
// Which nodes there are: nodes.yaml, and how a command line chooses among them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/certificates/certificate.h"
#include "recorder/control/network_address.h"

namespace gordian {

struct Node {
  std::string name;  // like a session's; the folder its sessions are collected into
  NetworkAddress address;
};

struct NodesFile {
  std::string path;
  TlsFiles files;           // ~ is the home folder
  std::vector<Node> nodes;  // in the order of the file
  std::map<std::string, std::vector<std::string>> groups;
  std::map<std::string, std::string> racks;  // by node: the rack it stands in, if that is told
  std::string reference;  // the node whose clock counts; empty: the first that was chosen
};

// $XDG_CONFIG_HOME/gordian/nodes.yaml, or below ~/.config.
std::string DefaultNodesFile();

absl::StatusOr<NodesFile> ReadNodesFile(const std::string& path);

// `choice`: names of nodes and @GROUPs, or all, with commas between; the empty choice is all. Each
// node once, in the order of the choice.
absl::StatusOr<std::vector<Node>> ChooseNodes(const NodesFile& file, const std::string& choice);

}  // namespace gordian
