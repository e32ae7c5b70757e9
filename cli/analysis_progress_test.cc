// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_progress.h"

#include <gtest/gtest.h>

#include <chrono>

#include "schema/report.pb.h"

namespace gordian {
namespace {

using std::chrono::milliseconds;

TEST(EarlyLooksOnTheTerminal, AreWorthIt) {
  EXPECT_TRUE(IsWorthEarlyLooks(milliseconds(200), 0.01));
  EXPECT_TRUE(IsWorthEarlyLooks(milliseconds(1'000), 0.1));
}

TEST(EarlyLooksOnTheTerminal, AreNotWorthItIfReadingSoonEnds) {
  EXPECT_FALSE(IsWorthEarlyLooks(milliseconds(20), 0.01));
  EXPECT_FALSE(IsWorthEarlyLooks(milliseconds(1'800), 0.9));
  EXPECT_FALSE(IsWorthEarlyLooks(milliseconds(1'800), 0));
}

TEST(EarlyLooksOnTheTerminal, TellTheFirstLimitAndHowMuchIsRead) {
  pb::Report report;
  EXPECT_EQ(EarlyLookText({.share = 0.011, .report = report}),
            "so far (1 % read): nothing that limits it");
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("knot");
  finding.set_title("postgres waits for\x1b[31m vda");
  EXPECT_EQ(EarlyLookText({.share = 0.06, .report = report}),
            "so far (6 % read): postgres waits for\uFFFD[31m vda");
}

TEST(MemoryBeyondItsLimit, IsToldInALineUnlessItShouldBeQuiet) {
  pb::Report report;
  const auto told = [&report](bool quiet) {
    ::testing::internal::CaptureStderr();
    TellMemoryBeyondLimit(report, quiet);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told(false), "");
  pb::ReportCounter& counter = *report.add_counters();
  counter.set_name("bytes_beyond_memory");
  counter.set_value(3 << 20);
  EXPECT_EQ(told(true), "");
  EXPECT_EQ(
      told(false),
      "gordian: --memory was exceeded by 3 MiB: the folder for large columns took no more; set "
      "TMPDIR to one on a disk with more room\n");
}

}  // namespace
}  // namespace gordian
