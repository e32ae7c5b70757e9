// The edges of a report's graph, for `gordian graph --edges`.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "proto/listings.pb.h"
#include "proto/report.pb.h"

namespace gordian {

// A vertex by its name as it is shown, its plain name, or the tid of one of its threads; empty:
// any.
struct EdgeFilter {
  std::string from;
  std::string to;
};

// Heaviest first. NotFound if there is no such vertex.
absl::StatusOr<pb::EdgeListing> ListEdges(const pb::Report& report, const EdgeFilter& filter);

}  // namespace gordian
