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
