// SPDX-License-Identifier: Apache-2.0
// What the flow ids of a recording's packets mean.
#pragma once

#include <vector>

#include "analysis/recording.h"
#include "analyzer/timeline/flow_table.h"

namespace gordian {

// By Entity::node. What cannot be read is passed over: reading the timeline has counted it.
std::vector<FlowTable> ReadFlows(const LoadedRecording& recording, int threads);

}  // namespace gordian
