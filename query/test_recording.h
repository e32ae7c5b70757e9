// SPDX-License-Identifier: Apache-2.0
// Scenarios as recordings to ask, for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analyzer/testing/scenario.h"
#include "query/query.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian {

// A scenario of analyzer/testdata, analyzed.
class QueryRecording {
 public:
  explicit QueryRecording(const std::string& scenario);
  explicit QueryRecording(const Scenario& scenario);
  explicit QueryRecording(testing::TraceBuilder& trace);
  const Analysis& analysis() const { return *analysis_; }
  std::string folder() const { return dir_ / "recording"; }

 private:
  void Analyze();

  testing::TempDir dir_;
  std::unique_ptr<Analysis> analysis_;
};

// Fails the test if it cannot be opened.
QueryDatabase DatabaseOf(const std::vector<const Analysis*>& recordings, QueryLimits limits = {});
// A row's cells with "|" in between. Fails the test if the query does.
std::vector<std::string> AskOf(QueryDatabase& database, std::string_view sql);
std::vector<std::vector<QueryCell>> CellsOf(QueryDatabase& database, std::string_view sql);
absl::Status FailureOf(QueryDatabase& database, std::string_view sql);

}  // namespace gordian
