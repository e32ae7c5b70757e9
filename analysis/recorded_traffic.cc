// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_traffic.h"

#include <utility>

#include "analysis/traffic_phases.h"
#include "trace/node_sessions.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// One node's session tells its node only by a collected folder's name; else the name in its cluster
// does.
absl::Status AddRacks(const TrafficRequest& request, const TrafficSources& sources,
                      TrafficOptions& options) {
  for (size_t i = 0; i < options.nodes.size(); ++i) {
    TrafficNode& node = options.nodes[i];
    std::string name = node.name;
    if (name.empty()) {
      auto in_cluster = sources.name_in_cluster(i);
      if (!in_cluster.ok()) return in_cluster.status();
      name = *std::move(in_cluster);
    }
    const auto rack = request.racks.find(name);
    if (rack != request.racks.end()) node.rack = rack->second;
  }
  return absl::OkStatus();
}

// From logs, once, by the first node's clocks; from probes, of every node that has some.
absl::Status AddPhases(const TrafficRequest& request, const TrafficSources& sources,
                       TrafficOptions& options) {
  options.by_phase = true;
  absl::Status failed;
  const size_t readings = request.job.inputs.logs.empty() ? options.nodes.size() : 1;
  for (size_t node = 0; node < readings; ++node) {
    const auto phases = sources.phases(node);
    if (!phases.ok()) {
      failed = phases.status();
      continue;
    }
    options.phases.insert(options.phases.end(), phases->begin(), phases->end());
  }
  return options.phases.empty() ? failed : absl::OkStatus();
}

absl::Status ChooseSpans(const TrafficRequest& request, const TrafficSources& sources,
                         TrafficOptions& options) {
  if (request.per.empty()) return absl::OkStatus();
  const auto interval_ns = ParseInterval(request.per);
  if (!interval_ns.ok()) return interval_ns.status();
  if (!interval_ns->has_value()) return AddPhases(request, sources, options);
  options.interval_ns = **interval_ns;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TrafficPhase>> TrafficPhasesOf(const TrafficRequest& request,
                                                          const std::string& session_directory,
                                                          size_t node) {
  JobRequest job = request.job;
  job.inputs.session_directory = session_directory;
  const auto reading = ReadJobOf(job);
  if (!reading.ok()) return reading.status();
  return PhasesNamed(reading->job, request.per, node);
}

absl::StatusOr<TrafficOptions> TrafficOptionsOf(const TrafficRequest& request,
                                                const TrafficSources& sources) {
  TrafficOptions options{
      .nodes = sources.nodes, .level = request.level, .threads = request.threads};
  if (!request.racks.empty()) {
    if (absl::Status status = AddRacks(request, sources, options); !status.ok()) return status;
  }
  if (absl::Status status = ChooseSpans(request, sources, options); !status.ok()) return status;
  return options;
}

absl::StatusOr<Traffic> MeasureRecordedTraffic(const TrafficRequest& request) {
  const auto sessions = FindNodeSessions(request.directory);
  if (!sessions.ok()) return sessions.status();
  TrafficSources sources;
  for (const NodeSession& session : *sessions)
    sources.nodes.push_back({.name = session.node, .directory = session.directory, .rack = {}});
  sources.name_in_cluster = [&](size_t node) -> absl::StatusOr<std::string> {
    const auto session = SessionReader::Open((*sessions)[node].directory);
    if (!session.ok()) return session.status();
    return (*session)->session().node_clock().node();
  };
  sources.phases = [&](size_t node) {
    return TrafficPhasesOf(request, (*sessions)[node].directory, node);
  };
  const auto options = TrafficOptionsOf(request, sources);
  if (!options.ok()) return options.status();
  return MeasureTraffic(*options);
}

}  // namespace gordian
