// SPDX-License-Identifier: Apache-2.0
// The options of a judgement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

struct FindingOptions {
  // The target of the analysis. If any is given, entities' own target marks do not count.
  std::vector<int32_t> target_pids;       // a process or one of its threads, and its descendants
  std::vector<std::string> target_comms;  // name of a thread or of its process
  std::vector<uint64_t> target_cgroup_ids;
  // Of a recording of many nodes: the options above hold on these nodes only. Without other
  // options, all threads of these nodes are the target.
  std::vector<std::string> target_nodes;

  double threshold = 0.20;       // of the recording: refinement stops above it
  uint32_t max_vertices = 0;     // refine on while a knot has more vertices; 0: any number will do
  bool keep_background = false;  // treat background knots like any other
  bool explain = false;          // fill Report.explain

  // The session's account of itself; goes into the report. `complete` and `chains_end_at_targets`
  // bear on the confidence.
  pb::RecordingSummary recording;
};

// Marks the entities that the options name instead of those marked while recording. Without such
// options, does nothing. NotFound if a named target is not there. Call it before BuildGraph.
absl::Status MarkNamedTargets(const FindingOptions& options, WaitForGraph& graph);

}  // namespace gordian
