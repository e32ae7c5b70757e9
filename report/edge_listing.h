// SPDX-License-Identifier: Apache-2.0
// The edges of a report's graph, for `gordian graph --edges`.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "report/vertex_names.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// A vertex as people call it (report/vertex_names.h), or by the tid of one of its threads; empty:
// any.
struct EdgeFilter {
  std::string from;
  std::string to;
};

// The edges, heaviest first. NotFound if there is no such vertex.
absl::StatusOr<std::vector<const pb::ReportEdge*>> FindEdges(const pb::Report& report,
                                                             const EdgeFilter& filter);
pb::ListedEdge ListEdge(const pb::ReportEdge& edge, const VertexNames& names);
// All of FindEdges.
absl::StatusOr<pb::EdgeListing> ListEdges(const pb::Report& report, const EdgeFilter& filter);

}  // namespace gordian
