// SPDX-License-Identifier: Apache-2.0
// Waits of an edge that somebody else may end: another thread, program or machine. Sleeps are none.
#pragma once

#include <string>

#include "schema/report.pb.h"

namespace gordian {

struct EventWaits {
  double share = 0;     // of the edge's waits
  double heaviest = 0;  // that of the heaviest kind
  std::string event;    // in words, of that kind
};

EventWaits EventWaitsOf(const pb::ReportEdge& edge);

}  // namespace gordian
