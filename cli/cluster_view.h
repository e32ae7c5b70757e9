// SPDX-License-Identifier: Apache-2.0
// status and list of many nodes, as tables and JSON.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cluster/cluster.h"
#include "schema/control.pb.h"

namespace gordian {

// One node's answer, or the reason of its failure.
struct NodeSessions {
  std::string node;
  absl::Status status;
  uint64_t free_bytes = 0;
  std::vector<pb::SessionStatus> sessions;
};

std::vector<NodeSessions> SessionsOf(const Cluster& cluster,
                                     const Answers<pb::StatusResponse>& answers);
std::vector<NodeSessions> SessionsOf(const Cluster& cluster,
                                     const Answers<pb::ListResponse>& answers);

// A row for each session, and one for each node without any or without an answer.
std::string NodesStatusTable(const std::vector<NodeSessions>& nodes);
std::string NodesListTable(const std::vector<NodeSessions>& nodes);
std::string NodesJson(const std::vector<NodeSessions>& nodes);

// Whether all of them answered.
int ExitCodeOf(const std::vector<NodeSessions>& nodes);

}  // namespace gordian
