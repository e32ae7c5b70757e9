// SPDX-License-Identifier: Apache-2.0
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

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/finding_options.h"
#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills recording's numbers, threads, vertices, edges, findings, scope, verdict and explain.
// `merged` was built of `graph`.
pb::Report Judge(const WaitForGraph& graph, const MergedGraph& merged,
                 const FindingOptions& options);

// What a part of a recording shows: only as much as tells whether the findings of all of it hold
// there. That takes no words, and no copy of the graph.
struct PartJudgement {
  struct Found {
    FindingKind kind = FindingKind::kKnot;
    std::vector<uint32_t> members;
  };
  std::vector<Found> found;
  double work_s = 0;  // by the target's threads
};
// Finds what Judge would.
PartJudgement JudgePart(const WaitForGraph& graph, const MergedGraph& merged,
                        const FindingOptions& options);

// How a finding fared in the parts of a recording.
struct HeldIn {
  uint32_t parts = 0;     // in which the target worked
  uint32_t held = 0;      // of them
  double held_share = 1;  // of the target's work, in the parts in which the finding held
};

// The same of each finding of `whole`; `parts` are of the same vertices (BuildGraphLike).
std::vector<HeldIn> HowFindingsFared(const pb::Report& whole, std::span<const PartJudgement> parts);
// Takes trust from the findings that did not hold most of the time, says why, and ranks them anew.
void DoubtUnsteadyFindings(std::span<const HeldIn> held_in, pb::Report& report);

// The longest time in a row, of all of the recording's, in which it paused.
struct LongestPause {
  uint64_t ns = 0;
  uint64_t of_ns = 0;
};
// Takes some trust from all findings if that is a good part of it, and says why: short pauses one
// after the other leave a sample of all times, one long one does not.
void DoubtAfterALongPause(const LongestPause& pause, pb::Report& report);

}  // namespace gordian
