#include "output/report_diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
