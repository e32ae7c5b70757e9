// From the wait-for graph to findings: what holds the throughput, how sure that is, what one would
// try, and what only looks like it.
//
//   graph and its merged vertices -> target and scope -> knots and sinks, refined -> findings
//
// Usage:
//   MarkNamedTargets(options, graph);        // before threads are merged, as it keeps them apart
//   auto merged = BuildGraph(graph, {});     // analyzer/graph/graph.h
//   pb::Report report = Judge(graph, *merged, options);
//
// The way of the search and its constants are in docs/design-findings.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

struct FindingOptions {
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

// Marks the entities that the options name instead of those marked while recording; without such
// options, does nothing. NotFound: a named target is not there. Belongs before BuildGraph.
absl::Status MarkNamedTargets(const FindingOptions& options, WaitForGraph& graph);

// Fills recording's numbers, threads, vertices, edges, findings, scope, verdict and explain.
// `merged` was built of `graph`.
pb::Report Judge(const WaitForGraph& graph, const MergedGraph& merged,
                 const FindingOptions& options);

}  // namespace gordian
