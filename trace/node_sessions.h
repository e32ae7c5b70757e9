// SPDX-License-Identifier: Apache-2.0
// A recording of one node, or of many. `gordian record` writes one session's folder. `gordian
// collect` writes a folder with one such folder for each node, by the node's name.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

inline constexpr size_t kMostNodes = 4096;

struct NodeSession {
  std::string node;       // the folder's name; empty if there is one session alone
  std::string directory;  // to give to SessionReader::Open
};

// In the order of the nodes' names. NotFound if there is no session, ResourceExhausted if there are
// more than kMostNodes. The sessions are not looked into: opening a damaged one tells the damage.
absl::StatusOr<std::vector<NodeSession>> FindNodeSessions(const std::string& directory);

}  // namespace gordian
