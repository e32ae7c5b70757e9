// SPDX-License-Identifier: Apache-2.0
// The requests that the target has answered in a frame.
#pragma once

#include <optional>
#include <span>

#include "analysis/analysis.h"
#include "analyzer/timeline/flow_table.h"
#include "schema/live.pb.h"

namespace gordian {

// Nothing if the target's servers were asked nothing. `flows_of_node`: by Entity::node.
std::optional<pb::LiveRequests> LiveRequestsOf(const Analysis& analysis,
                                               std::span<const FlowTable> flows_of_node);

}  // namespace gordian
