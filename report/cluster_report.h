// SPDX-License-Identifier: Apache-2.0
// The part of a report on how recordings of many nodes became one.
#pragma once

#include <string>
#include <vector>

#include "nodes/joined_nodes.h"
#include "schema/report.pb.h"

namespace gordian {

// Needs the report's vertices and edges. Marks times that are smaller than the clocks' bounds.
void AddCluster(const JoinedNodes& joined, const std::vector<std::string>& left_out,
                const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

// By names of trace/counters.h; only those above zero.
std::vector<NamedCount> ClusterCounts(const JoinedNodes& joined, size_t left_out);

}  // namespace gordian
