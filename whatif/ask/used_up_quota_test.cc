// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/used_up_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "whatif/ask/answer.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

pb::Report ReportOnRender(double run_s = 4.9) {
  pb::Report report;
  report.mutable_recording()->set_seconds(10);
  pb::ReportVertex& vertex = *report.add_vertices();
  vertex.set_id(3);
  vertex.set_run_s(run_s);
  pb::Finding& finding = *report.add_findings();
  finding.add_members(3);
  pb::CpuQuota& quota = *finding.mutable_cpu_quota();
  quota.set_cgroup("/render");
  quota.set_cpus(0.5);
  return report;
}

pb::WhatIf TwiceTheThroughputWith(const std::string& kind) {
  pb::WhatIf answer;
  answer.add_changes()->set_kind(kind);
  answer.mutable_changes(0)->set_text("a change");
  answer.set_low(1.9);
  answer.set_expected(2);
  answer.set_high(2.1);
  answer.mutable_with_path()->set_gain(2);
  return answer;
}

TEST(UsedUpQuota, MoreThreadsAndMoreCpusGainNothing) {
  for (const char* kind : {"add-thread", "cpus", "in-flight", "lock"}) {
    pb::WhatIf answer = TwiceTheThroughputWith(kind);
    TellUsedUpQuota(ReportOnRender(), answer);
    EXPECT_EQ(answer.expected(), 1) << kind;
    EXPECT_THAT(VerdictOf(answer), HasSubstr("no gain: the cgroup /render may use 0.5 CPUs"))
        << kind;
  }
}

TEST(UsedUpQuota, WhatTakesCpuTimeAwayGainsAndTheQuotaIsADoubt) {
  pb::WhatIf answer = TwiceTheThroughputWith("run");
  TellUsedUpQuota(ReportOnRender(), answer);
  EXPECT_EQ(answer.expected(), 2);
  ASSERT_EQ(answer.doubts_size(), 1);
  EXPECT_THAT(answer.doubts(0), HasSubstr("follows the CPU time of their work"));
}

TEST(UsedUpQuota, ALargerQuotaGainsWhatItsReplayTells) {
  pb::WhatIf answer = TwiceTheThroughputWith("quota");
  const std::string before = answer.SerializeAsString();
  TellUsedUpQuota(ReportOnRender(), answer);
  EXPECT_EQ(answer.SerializeAsString(), before);
}

// Held back in some periods, idle in others.
TEST(UsedUpQuota, WhoWorksInBurstsGainsWhatTheQuotaLeaves) {
  pb::WhatIf answer = TwiceTheThroughputWith("add-thread");
  TellUsedUpQuota(ReportOnRender(/*run_s=*/3), answer);
  EXPECT_NEAR(answer.expected(), 5.0 / 3, 1e-9);
  EXPECT_NEAR(answer.high(), 5.0 / 3, 1e-9);
  EXPECT_EQ(answer.used_up_quota(), "");
  ASSERT_EQ(answer.doubts_size(), 1);
  EXPECT_THAT(answer.doubts(0), HasSubstr("bounds the gain to 1.7 times"));
}

TEST(UsedUpQuota, ChangesNothingWhereAnotherCauseIsFirst) {
  pb::Report report;
  report.add_findings();
  *report.add_findings() = ReportOnRender().findings(0);
  pb::WhatIf answer = TwiceTheThroughputWith("add-thread");
  const std::string before = answer.SerializeAsString();
  TellUsedUpQuota(report, answer);
  EXPECT_EQ(answer.SerializeAsString(), before);
}

}  // namespace
}  // namespace gordian
