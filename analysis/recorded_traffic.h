// SPDX-License-Identifier: Apache-2.0
// How much each node or thread sent to which other in a recording: from the named inputs to
// traffic/traffic.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

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

// The nodes of a recording, as somebody sees them who may not see their folders.
struct TrafficSources {
  std::vector<TrafficNode> nodes;
  // The name of the node in its cluster, as its session tells.
  std::function<absl::StatusOr<std::string>(size_t node)> name_in_cluster;
  // TrafficPhasesOf the node's session.
  std::function<absl::StatusOr<std::vector<TrafficPhase>>(size_t node)> phases;
};

// What the request means for these nodes.
absl::StatusOr<TrafficOptions> TrafficOptionsOf(const TrafficRequest& request,
                                                const TrafficSources& sources);

// The phases that `request.per` names, of the job that this session, or the request's logs, tell
// of.
absl::StatusOr<std::vector<TrafficPhase>> TrafficPhasesOf(const TrafficRequest& request,
                                                          const std::string& session_directory,
                                                          size_t node);

}  // namespace gordian
