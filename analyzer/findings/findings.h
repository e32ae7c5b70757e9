// From the wait-for graph to findings: what holds the throughput, how sure that is, what one would
// try, and what only looks like it.
//
//   graph -> similar threads merged -> target and scope -> knots and sinks, refined -> findings
//
// The way of the search and its constants are in docs/design-findings.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

struct FindingOptions {
  GraphOptions graph;

  // What the analysis is about. If any is given, entities' own target marks do not count.
  std::vector<int32_t> target_pids;       // a process or one of its threads, and its descendants
  std::vector<std::string> target_comms;  // name of a thread or of its process
  std::vector<uint64_t> target_cgroup_ids;
  // Of a recording of many nodes: the above on these only; all threads of these, if nothing else is
  // given.
  std::vector<std::string> target_nodes;

  double threshold = 0.20;       // of the recording: refinement stops above it
  uint32_t max_vertices = 0;     // refine on while a knot has more vertices; 0: any number will do
  bool keep_background = false;  // treat background knots like any other
  bool explain = false;          // fill Report.explain

  // What the session says of itself; goes into the report. `complete` and `chains_end_at_targets`
  // bear on the confidence.
  pb::RecordingSummary recording;
};

// Fills recording's numbers, threads, vertices, edges, findings, scope, verdict and explain.
// Fails if a target is named that the recording does not hold, or a group's REGEX is none.
absl::StatusOr<pb::Report> Judge(WaitForGraph graph, const FindingOptions& options);

}  // namespace gordian
