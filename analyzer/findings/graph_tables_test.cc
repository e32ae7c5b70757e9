// SPDX-License-Identifier: Apache-2.0
// Every table in analyzer/testdata/graphs: one test each, named for its file.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/findings/findings.h"
#include "analyzer/findings/graph_table.h"

namespace gordian {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> Tables() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_GRAPHS)) {
    if (entry.path().extension() == ".graph") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GraphTables : public testing::TestWithParam<std::string> {
 protected:
  template <typename Ids>
  std::vector<std::string> Names(const Ids& ids) const {
    std::vector<std::string> names;
    names.reserve(static_cast<size_t>(ids.size()));
    for (const uint32_t id : ids) names.push_back(report_.vertices(static_cast<int>(id)).name());
    return names;
  }

  static std::string AllText(const pb::Finding& finding) {
    std::string text;
    for (const std::string& why : finding.why()) absl::StrAppend(&text, why, "\n");
    for (const std::string& doubt : finding.doubts()) absl::StrAppend(&text, doubt, "\n");
    for (const std::string& advice : finding.advice()) absl::StrAppend(&text, advice, "\n");
    for (const pb::RuledOut& out : finding.ruled_out()) {
      absl::StrAppend(&text, out.what(), ": ", out.reason(), "\n");
    }
    return text;
  }

  void ExpectFinding(const pb::Finding& finding, const ExpectedFinding& expected) const {
    SCOPED_TRACE(finding.title());
    EXPECT_EQ(finding.kind(), expected.kind);
    EXPECT_THAT(Names(finding.members()), UnorderedElementsAreArray(expected.members));
    EXPECT_EQ(finding.apart(), expected.apart);
    EXPECT_THAT(Names(finding.outside()), UnorderedElementsAreArray(expected.outside));
    std::vector<uint32_t> ruled_out;
    for (const pb::RuledOut& out : finding.ruled_out()) ruled_out.push_back(out.vertex());
    if (expected.rules_out_given) {
      EXPECT_THAT(Names(ruled_out), UnorderedElementsAreArray(expected.ruled_out));
    }
    if (!expected.attack.empty()) {
      ASSERT_TRUE(finding.has_edge());
      const std::vector<uint32_t> ends = {finding.edge().from(), finding.edge().to()};
      EXPECT_THAT(Names(ends), ElementsAreArray(expected.attack));
    }
    if (expected.kind == "starvation") {
      EXPECT_FALSE(finding.has_edge()) << "no wait for anybody is to blame";
    }
    if (expected.gain) {
      EXPECT_NEAR(finding.upper_bound_gain(), *expected.gain, 0.01);
    }
    if (expected.share) {
      EXPECT_NEAR(finding.share(), *expected.share, 0.005);
    }
    if (expected.confidence_below) {
      EXPECT_LT(finding.confidence(), *expected.confidence_below);
    }
    if (expected.confidence_above) {
      EXPECT_GT(finding.confidence(), *expected.confidence_above);
    }
    for (const std::string& part : expected.title_has)
      EXPECT_THAT(finding.title(), HasSubstr(part));
    for (const std::string& part : expected.text_has)
      EXPECT_THAT(AllText(finding), HasSubstr(part));
  }

  bool Explains(const std::string& step) const {
    const std::vector<std::string> parts = absl::StrSplit(step, absl::MaxSplits(": ", 1));
    return std::any_of(
        report_.explain().begin(), report_.explain().end(), [&](const pb::ExplainStep& given) {
          return given.action() == parts[0] && absl::StrContains(given.text(), parts[1]);
        });
  }

  pb::Report report_;
};

TEST_P(GraphTables, GiveTheFindingsTheyTell) {
  const GraphTable table = ReadGraphTable(absl::StrCat(GORDIAN_GRAPHS, "/", GetParam(), ".graph"));
  ASSERT_EQ(table.error, "");
  absl::StatusOr<pb::Report> report = MergeAndJudge(table);
  ASSERT_TRUE(report.ok()) << report.status();
  report_ = *std::move(report);
  SCOPED_TRACE(report_.DebugString());

  ASSERT_EQ(report_.findings_size(), table.findings.size());
  for (int i = 0; i < report_.findings_size(); ++i) {
    EXPECT_EQ(report_.findings(i).rank(), i + 1);
    ExpectFinding(report_.findings(i), table.findings[i]);
  }
  if (table.scope) {
    EXPECT_THAT(Names(report_.scope().vertices()), UnorderedElementsAreArray(*table.scope));
  }
  if (table.chosen_by) {
    EXPECT_EQ(report_.scope().chosen_by(), *table.chosen_by);
  }
  for (const std::string& part : table.verdict_has) EXPECT_THAT(report_.verdict(), HasSubstr(part));
  for (const std::string& step : table.explain_has) EXPECT_TRUE(Explains(step)) << step;
}

INSTANTIATE_TEST_SUITE_P(All, GraphTables, testing::ValuesIn(Tables()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gordian
