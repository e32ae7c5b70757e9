// From the wait-for graph to findings: what holds the throughput, how sure that is, what to try,
// and what only looks like a limit.
//
//   graph and its merged vertices -> target and scope -> knots and sinks, refined -> findings
//
// Usage:
//   MarkNamedTargets(options, graph);        // before threads are merged, as it keeps them apart
//   auto merged = BuildGraph(graph, {});     // analyzer/graph/graph.h
//   pb::Report report = Judge(graph, *merged, options);
//
// docs/design-findings.md describes the search and its constants.
#pragma once

#include "analyzer/findings/evidence/finding_options.h"
#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills recording's numbers, threads, vertices, edges, findings, scope, verdict and explain.
// `merged` was built of `graph`.
pb::Report Judge(const WaitForGraph& graph, const MergedGraph& merged,
                 const FindingOptions& options);

}  // namespace gordian
