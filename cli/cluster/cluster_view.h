// status and list of many nodes, as tables and JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "schema/control.pb.h"

namespace gordian {

// What one node said, or why it did not.
struct NodeSessions {
  std::string node;
  absl::Status status;
  uint64_t free_bytes = 0;
  std::vector<pb::SessionStatus> sessions;
};

// A row for each session, and one for each node without any or without an answer.
std::string NodesStatusTable(const std::vector<NodeSessions>& nodes);
std::string NodesListTable(const std::vector<NodeSessions>& nodes);
std::string NodesJson(const std::vector<NodeSessions>& nodes);

// The verbs; the exit code. With `watch` the table comes again every second, until it is
// interrupted or nobody reads it any more.
int StatusOfNodes(Cluster& cluster, const std::string& name, bool json, bool watch);
int ListOfNodes(Cluster& cluster, bool json);

}  // namespace gordian
