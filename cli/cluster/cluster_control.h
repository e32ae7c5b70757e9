// start, stop, snapshot and rm on many nodes. Each returns the exit code, after a line for every
// node that could not.
#pragma once

#include <string>

#include "cli/cluster/cluster.h"
#include "schema/control.pb.h"

namespace gordian {

// Arms the session everywhere, then lets all of them begin at one instant. With `require_all` it
// begins everywhere or nowhere; otherwise on those that could.
int StartOnNodes(Cluster& cluster, const pb::StartRequest& request, bool require_all);
int StopOnNodes(Cluster& cluster, const std::string& name);
int SnapshotOnNodes(Cluster& cluster, const pb::SnapshotRequest& request);
int RemoveOnNodes(Cluster& cluster, const std::string& name);

}  // namespace gordian
