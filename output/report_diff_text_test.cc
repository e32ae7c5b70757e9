// SPDX-License-Identifier: Apache-2.0
#include "output/report_diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "report/report_diff.h"
#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportDiffText, LeavesOutWaitsOfOtherPrograms) {
  const std::string text =
      ReportDiffText(DiffReports(TestReport("empty"), TestReport("lossy")), {});
  EXPECT_THAT(text, Not(HasSubstr("kworker -> kworker")));
  EXPECT_THAT(text, HasSubstr("and 1 more"));
}

pb::Gate TestGate() {
  pb::Gate gate;
  gate.set_outcome("failed");
  gate.set_fails(true);
  gate.set_false_alarms(0.05);
  pb::GateCondition* condition = gate.add_conditions();
  condition->set_condition("throughput<-5%");
  condition->set_outcome("holds");
  condition->set_text("cycles of B: 100/s -> 80/s, -20.0 %, by 3 and 3 recordings");
  condition = gate.add_conditions();
  condition->set_condition("new-limit");
  condition->set_outcome("undecided");
  condition->set_text("too few; 3 recordings a side would most likely tell");
  return gate;
}

TEST(ReportDiffText, ConditionsStandBeforeFindingsWithTheirAnswers) {
  pb::ReportDiff diff = DiffReports(TestReport("figure1"), TestReport("figure1"));
  *diff.mutable_gate() = TestGate();
  EXPECT_THAT(
      ReportDiffText(diff, {}),
      HasSubstr("Conditions: failed\n"
                "  FAILED    throughput<-5%: cycles of B: 100/s -> 80/s, -20.0 %, by 3 and 3\n"
                "            recordings\n"
                "  undecided new-limit: too few; 3 recordings a side would most likely tell\n"
                "            Chance alone decides at most 5 % of such answers wrongly, each.\n"
                "\n"
                "  stays "));
}

TEST(ReportDiffText, OfSeveralRecordingsItSaysInHowManyAFindingIs) {
  const std::vector<pb::Report> before(3, TestReport("figure1"));
  const std::vector<pb::Report> after = {TestReport("figure1"), TestReport("nothing")};
  const std::string text = ReportDiffText(DiffReports(before, after), {});
  EXPECT_THAT(text, HasSubstr("in 3 of 3"));
  EXPECT_THAT(text, HasSubstr("1 of 2 after"));
}

TEST(ReportDiffText, IsAsKept) {
  pb::Report after = TestReport("figure1");
  after.mutable_recording()->set_seconds(8);
  after.mutable_recording()->set_started("2026-11-22T03:00:00Z");
  after.mutable_findings(0)->set_share(0.6);
  after.mutable_findings(0)->set_upper_bound_gain(1.3);
  after.mutable_edges(1)->set_weight_s(3);
  const std::string text = ReportDiffText(DiffReports(TestReport("figure1"), after), {});
  EXPECT_EQ(text, Golden("diff.txt", text));
}

}  // namespace
}  // namespace gordian
