// SPDX-License-Identifier: Apache-2.0
// Starts a session on many nodes so that it begins on all of them at one instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cluster/cluster.h"
#include "schema/control.pb.h"

namespace gordian {

struct NodeFailure {
  size_t node = 0;
  absl::Status status;
};

struct JointStart {
  size_t begun = 0;                   // nodes on which it records now
  bool was_given_up = false;          // taken back everywhere, as not all nodes could
  std::vector<NodeFailure> failures;  // in the order in which they came
  // Wishes that owners' limits cut, each with the names of the nodes that did.
  std::map<std::string, std::vector<std::string>> cuts;
  // Of the nodes on which it records: how far apart they may have begun, how late the last of them
  // was, and when they end by themselves.
  uint64_t bound_ns = 0;
  uint64_t late_ns = 0;
  uint64_t duration_ns = 0;
};

// Arms the session everywhere, then lets all of them begin. With `require_all` it begins everywhere
// or nowhere; otherwise on those that could.
JointStart StartTogether(Cluster& cluster, pb::StartRequest request, bool require_all);

}  // namespace gordian
