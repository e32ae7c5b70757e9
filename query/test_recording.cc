// SPDX-License-Identifier: Apache-2.0
#include "query/test_recording.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/testing/scenario.h"

namespace gordian {
namespace {

std::string TextOfCell(const QueryCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return absl::StrCat(*number);
  if (const auto* real = std::get_if<double>(&cell)) return absl::StrFormat("%.15g", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "";
}

}  // namespace

QueryRecording::QueryRecording(const std::string& scenario)
    : QueryRecording(ReadScenario(absl::StrCat(GORDIAN_TESTDATA, "/", scenario))) {}

QueryRecording::QueryRecording(const Scenario& scenario) {
  WriteScenario(scenario, folder(), 3);
  Analyze();
}

QueryRecording::QueryRecording(testing::TraceBuilder& trace) {
  EXPECT_TRUE(trace.WriteSession(folder()).ok());
  Analyze();
}

void QueryRecording::Analyze() {
  auto analysis = Analysis::Run(folder());
  if (!analysis.ok()) {
    ADD_FAILURE() << analysis.status();
    std::abort();
  }
  analysis_ = std::make_unique<Analysis>(*std::move(analysis));
}

QueryDatabase DatabaseOf(const std::vector<const Analysis*>& recordings, QueryLimits limits) {
  auto database = QueryDatabase::Open(recordings, limits);
  EXPECT_TRUE(database.ok()) << database.status();
  return *std::move(database);
}

std::vector<std::vector<QueryCell>> CellsOf(QueryDatabase& database, std::string_view sql) {
  std::vector<std::vector<QueryCell>> rows;
  const absl::Status status = database.Run(
      sql, [](std::span<const std::string>) {},
      [&rows](std::span<const QueryCell> row) {
        rows.emplace_back(row.begin(), row.end());
        return true;
      });
  EXPECT_TRUE(status.ok()) << sql << ": " << status;
  return rows;
}

std::vector<std::string> AskOf(QueryDatabase& database, std::string_view sql) {
  std::vector<std::string> lines;
  for (const auto& row : CellsOf(database, sql)) {
    lines.push_back(absl::StrJoin(row, "|", [](std::string* out, const QueryCell& cell) {
      absl::StrAppend(out, TextOfCell(cell));
    }));
  }
  return lines;
}

absl::Status FailureOf(QueryDatabase& database, std::string_view sql) {
  return database.Run(
      sql, [](std::span<const std::string>) {}, [](std::span<const QueryCell>) { return true; });
}

}  // namespace gordian
