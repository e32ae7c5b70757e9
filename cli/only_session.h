// SPDX-License-Identifier: Apache-2.0
// Which session somebody means who names none: the only one that runs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/cluster_view.h"
#include "cluster/cluster.h"

namespace gordian {

// NotFound if none runs on any of the nodes, InvalidArgument with their names if several do. Nodes
// that did not answer are passed over, except where none did: then it is the first one's error.
absl::StatusOr<std::string> OnlyRunningSession(const std::vector<NodeSessions>& nodes);

// Asks these daemons.
absl::StatusOr<std::string> FindOnlySession(const DaemonChoice& daemons);

}  // namespace gordian
