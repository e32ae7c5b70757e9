// SPDX-License-Identifier: Apache-2.0
// The peer of a unix socket, and its rights. The kernel tells them, not the client.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

enum class Role {
  kNone,      // a certificate without a role: may ask for the clock
  kViewer,    // any user of this machine: may look
  kOperator,  // root and the operators' group: may start, stop and snapshot
};

struct Peer {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> supplementary_gids;
  pid_t pid = 0;  // as of the connect; for log lines only, it may be reused
};

// The peer of a connected unix socket: its credentials when it connected.
absl::StatusOr<Peer> PeerOf(int socket);

// `operators_group` is looked up each time: it may be made while the daemon runs. An unknown group
// has no members.
Role RoleOf(const Peer& peer, const std::string& operators_group);

}  // namespace gordian
