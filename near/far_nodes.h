// SPDX-License-Identifier: Apache-2.0
// The nodes of a session as recordings whose questions gordian serve passes on
// (serve/far_recording.h).
//
// Each node answers about its own recording. A slice goes on from node to node (near_slice.h): its
// answer has the node's own part, as serve tells slices, and those of the others beside it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "near/near_slice.h"
#include "serve/far_recording.h"

namespace gordian {

// One for each node, in their order: it must be the order in which they are served, as answers
// name other nodes' recordings by their numbers. `nodes` must outlive them. `state`: of that node.
std::vector<FarSource> FarSourcesOf(
    const NearNodes& nodes, const std::string& session,
    const std::function<absl::StatusOr<FarState>(size_t node)>& state);

// What led to the moment that `parameters` name (thread, at, scope) on that node.
absl::StatusOr<std::string> FarSliceJson(const NearNodes& nodes, size_t node,
                                         const ViewParameters& parameters);

}  // namespace gordian
