// SPDX-License-Identifier: Apache-2.0
// A program in a cgroup with a CPU quota, recorded and analyzed: the report names the quota.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "tests/program.h"
#include "tests/recording/limited_group.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CpuQuota, IsNamedAsTheReasonOfStarvation) {
  const LimitedGroup group({"cpu", "/cpu.cfs_quota_us", "20000"},
                           {"cpu", "/cpu.max", "20000 100000"});
  // Reading quotas is tested without one (cpu_quotas_test).
  if (group.empty()) GTEST_SKIP() << "no cgroup with a CPU quota can be made here";
  const TempDir dir;
  BackgroundProgram busy({"/bin/sh", "-c", absl::StrCat(group.Enter(), "while :; do :; done")}, {},
                         dir / "errors");
  const std::string pid = std::to_string(busy.pid());
  const ProgramResult recorded = RunProgram(
      {GORDIAN_PROGRAM, "record", "-o", dir / "trace", "--duration", "3s", "--pid", pid});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
  busy.End(SIGKILL);

  const auto analysis = Analysis::Run(dir / "trace", {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const pb::Report& report = analysis->report();
  ASSERT_GT(report.findings_size(), 0);
  const pb::Finding& first = report.findings(0);
  EXPECT_EQ(first.kind(), "starvation") << report.verdict();
  EXPECT_THAT(group.folder(), EndsWith(first.cpu_quota().cgroup()));
  EXPECT_DOUBLE_EQ(first.cpu_quota().cpus(), 0.2);
  EXPECT_GT(first.cpu_quota().throttled_s(), 0);
  EXPECT_EQ(first.title(), report.verdict());
  EXPECT_THAT(first.title(), HasSubstr("0.2 CPUs) is used up."));
  EXPECT_THAT(first.advice(0), HasSubstr("Raise that quota"));
}

}  // namespace
}  // namespace gordian::testing
