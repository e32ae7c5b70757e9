// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_traffic.h"

#include "analysis/traffic_phases.h"
#include "trace/node_sessions.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

absl::Status AddNodes(const TrafficRequest& request, TrafficOptions& options) {
  const auto sessions = FindNodeSessions(request.directory);
  if (!sessions.ok()) return sessions.status();
  for (const NodeSession& session : *sessions)
    options.nodes.push_back({.name = session.node, .directory = session.directory, .rack = {}});
  return absl::OkStatus();
}

// One node's session tells its node only by a collected folder's name; else the name in its cluster
// does.
absl::Status AddRacks(const TrafficRequest& request, TrafficOptions& options) {
  for (TrafficNode& node : options.nodes) {
    std::string name = node.name;
    if (name.empty()) {
      const auto session = SessionReader::Open(node.directory);
      if (!session.ok()) return session.status();
      name = (*session)->session().node_clock().node();
    }
    const auto rack = request.racks.find(name);
    if (rack != request.racks.end()) node.rack = rack->second;
  }
  return absl::OkStatus();
}

// From logs, once, by the first node's clocks; from probes, of every node that has some.
absl::Status AddPhases(const TrafficRequest& request, TrafficOptions& options) {
  options.by_phase = true;
  absl::Status failed;
  const size_t readings = request.job.inputs.logs.empty() ? options.nodes.size() : 1;
  for (size_t node = 0; node < readings; ++node) {
    JobRequest job = request.job;
    job.inputs.session_directory = options.nodes[node].directory;
    const auto reading = ReadJobOf(job);
    const auto phases = reading.ok() ? PhasesNamed(reading->job, request.per, node)
                                     : absl::StatusOr<std::vector<TrafficPhase>>(reading.status());
    if (!phases.ok()) {
      failed = phases.status();
      continue;
    }
    options.phases.insert(options.phases.end(), phases->begin(), phases->end());
  }
  return options.phases.empty() ? failed : absl::OkStatus();
}

absl::Status ChooseSpans(const TrafficRequest& request, TrafficOptions& options) {
  if (request.per.empty()) return absl::OkStatus();
  const auto interval_ns = ParseInterval(request.per);
  if (!interval_ns.ok()) return interval_ns.status();
  if (!interval_ns->has_value()) return AddPhases(request, options);
  options.interval_ns = **interval_ns;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Traffic> MeasureRecordedTraffic(const TrafficRequest& request) {
  TrafficOptions options{.level = request.level, .threads = request.threads};
  if (absl::Status status = AddNodes(request, options); !status.ok()) return status;
  if (!request.racks.empty()) {
    if (absl::Status status = AddRacks(request, options); !status.ok()) return status;
  }
  if (absl::Status status = ChooseSpans(request, options); !status.ok()) return status;
  return MeasureTraffic(options);
}

}  // namespace gordian
