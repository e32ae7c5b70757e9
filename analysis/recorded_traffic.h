// SPDX-License-Identifier: Apache-2.0
// How much each node or thread sent to which other in a recording: from the named inputs to
// traffic/traffic.h.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/recorded_job.h"
#include "traffic/traffic.h"

namespace gordian {

struct TrafficRequest {
  std::string directory;  // a session's, or that of many nodes
  TrafficLevel level = TrafficLevel::kProcess;
  std::string per;  // a length of time, or the name of a phase; empty: some twenty spans
  JobRequest job;   // the source of phases, if `per` is one
  std::map<std::string, std::string> racks;  // by node
  int threads = 0;
};

absl::StatusOr<Traffic> MeasureRecordedTraffic(const TrafficRequest& request);

}  // namespace gordian
