// SPDX-License-Identifier: Apache-2.0
// Graphs and the findings expected of them, as readable tables: analyzer/testdata/graphs/*.graph.
// analyzer/testdata/graphs/README.md describes the notation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"

namespace gordian {

struct ExpectedFinding {
  std::string kind;
  std::vector<std::string> members;
  std::vector<std::string> ruled_out;
  bool rules_out_given = false;
  std::vector<std::string> outside;
  std::vector<std::string> attack;  // from and to
  std::vector<std::string> title_has;
  std::vector<std::string> text_has;  // in why, doubts, advice or the ruled-out list
  std::optional<double> gain;
  std::optional<double> share;
  std::optional<double> confidence_below;
  std::optional<double> confidence_above;
  bool apart = false;
};

struct GraphTable {
  WaitForGraph graph;
  GraphOptions merging;
  FindingOptions options;
  std::vector<ExpectedFinding> findings;
  std::optional<std::vector<std::string>> scope;
  std::optional<std::string> chosen_by;
  std::vector<std::string> verdict_has;
  std::vector<std::string> explain_has;  // "action: part of its text"
  std::string error;                     // errors of the table itself
};

GraphTable ReadGraphTable(const std::string& path);

// As an analysis does it: named targets marked, similar threads merged, and all of it judged.
absl::StatusOr<pb::Report> MergeAndJudge(WaitForGraph graph, const GraphOptions& merging,
                                         const FindingOptions& options);
inline absl::StatusOr<pb::Report> MergeAndJudge(const GraphTable& table) {
  return MergeAndJudge(table.graph, table.merging, table.options);
}

}  // namespace gordian
