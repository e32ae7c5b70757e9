// SPDX-License-Identifier: Apache-2.0
#include "report/nothing_found.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Two CPUs for ten seconds. A thread in scope ran for such a share, and a thread out of scope ran
// for all of one CPU.
pb::Report TenSeconds(double run_s) {
  pb::Report report;
  report.mutable_recording()->set_seconds(10);
  report.mutable_recording()->set_cpus(2);
  report.mutable_recording()->set_events(1000);
  report.add_vertices()->set_run_s(10);
  report.add_vertices()->set_run_s(run_s);
  report.mutable_vertices(1)->set_in_scope(true);
  return report;
}

TEST(NothingFound, IsNoWonderWithoutEvents) {
  const NothingFound found = WhyNothingWasFound({});
  EXPECT_EQ(found.why, "The recording holds no events of any thread.");
  ASSERT_EQ(found.advice.size(), 1u);
  EXPECT_THAT(found.advice[0], HasSubstr("gordian record"));
}

TEST(NothingFound, InLogsAloneIsNotBlamedOnARecordingThatNobodyMade) {
  pb::Report report;
  report.mutable_job()->set_model("spark");
  const NothingFound found = WhyNothingWasFound(report);
  EXPECT_THAT(found.why, HasSubstr("as far as its logs tell"));
  EXPECT_THAT(found.advice, Contains(HasSubstr("--resources")));
  report.add_resources()->set_name("cpu");
  EXPECT_THAT(WhyNothingWasFound(report).advice, Not(Contains(HasSubstr("--resources"))));
}

TEST(NothingFound, IsNoWonderOfAnIdleProgramWhoeverElseWorks) {
  const NothingFound found = WhyNothingWasFound(TenSeconds(0.4));
  EXPECT_EQ(found.why,
            "The threads looked at used 2 % of the CPUs: there was hardly any work to be limited.");
  EXPECT_THAT(found.advice[0], StartsWith("Record under full load"));
}

TEST(NothingFound, OfAProgramThatWorksMayMeanThatAnotherIsMeant) {
  const NothingFound found = WhyNothingWasFound(TenSeconds(4));
  EXPECT_THAT(found.why, StartsWith("No group of threads"));
  EXPECT_THAT(found.advice[0], StartsWith("Name the program"));
}

TEST(NothingFound, AsksForALongerRecordingOnlyOfAShortOne) {
  pb::Report report = TenSeconds(4);
  EXPECT_THAT(WhyNothingWasFound(report).advice, Not(Contains(StartsWith("Record longer"))));
  report.mutable_recording()->set_seconds(1);
  EXPECT_THAT(WhyNothingWasFound(report).advice, Contains("Record longer: this one has only 1 s."));
}

}  // namespace
}  // namespace gordian
