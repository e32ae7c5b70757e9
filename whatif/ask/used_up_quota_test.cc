// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/used_up_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "whatif/ask/answer.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

pb::Report ReportOnRender() {
  pb::Report report;
  pb::CpuQuota& quota = *report.add_findings()->mutable_cpu_quota();
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
  EXPECT_THAT(answer.doubts(0), HasSubstr("a replay knows no quotas"));
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
