// SPDX-License-Identifier: Apache-2.0
// The graph in lists, for a person to read: gordian graph.
#pragma once

#include <string>

#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Threads, groups and devices with their times.
std::string VertexText(const pb::Report& report);
// Which vertex waits for which, and how long.
std::string EdgeText(const pb::EdgeListing& listing);
// In which code, on both sides.
std::string EdgeStackText(const pb::EdgeStackListing& listing);

}  // namespace gordian
