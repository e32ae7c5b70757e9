// SPDX-License-Identifier: Apache-2.0
// The wait-for graph for Graphviz: `dot -Tsvg`.
#pragma once

#include <string>

#include "schema/report.pb.h"

namespace gordian {

// The findings' members and the heaviest edges around them: a picture of thousands of vertices
// shows nothing. Members of the first finding are filled, those outside the target dashed, devices
// have shapes of their own, and an edge's width is its weight.
std::string DotGraph(const pb::Report& report);

}  // namespace gordian
