// SPDX-License-Identifier: Apache-2.0
#include "analysis/own_sleep_finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kDrain = 0, kFeeder = 1, kTimer = 2;

// Two threads that look for work every few milliseconds, and hardly run.
class OwnSleepFinding : public ::testing::Test {
 protected:
  OwnSleepFinding() {
    AddThread("drain", 0.04);
    AddThread("feeder", 0.02);
    pb::ReportVertex& timer = *report_.add_vertices();
    timer.set_id(kTimer);
    timer.set_kind("timer");
    timer.set_name("timer");
    timer.set_label("timer");
    AddWait(kDrain, "timer", 5'000'000);
    AddWait(kFeeder, "timer", 1'000'000);
    report_.mutable_scope()->set_chosen_by("option");
    report_.set_verdict("Nothing holds the target up.");
  }
  void AddThread(const char* name, double run_s) {
    pb::ReportVertex& vertex = *report_.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_label(name);
    vertex.set_kind("thread");
    vertex.set_target(true);
    vertex.set_in_scope(true);
    vertex.set_run_s(run_s);
    vertex.set_wait_s(2 - run_s);
  }
  void AddWait(uint32_t from, const char* object, int64_t number) {
    pb::ReportEdge& edge = *report_.add_edges();
    edge.set_from(from);
    edge.set_to(kTimer);
    edge.set_own_s(1.96);
    pb::WaitReason& reason = *edge.add_reasons();
    reason.set_share(1);
    pb::WaitObject& waited = *reason.add_objects();
    waited.set_object(object);
    waited.set_share(1);
    waited.set_number(number);
  }

  pb::Report report_;
};

TEST_F(OwnSleepFinding, IsAGuessWhereNothingElseIsTheLimit) {
  ASSERT_NE(TellOwnSleep(report_), nullptr);
  ASSERT_EQ(report_.findings_size(), 1);
  const pb::Finding& finding = report_.findings(0);
  EXPECT_EQ(finding.title(), "drain sleeps 98 % of the time, 5 ms at a time.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.members(), ElementsAre(kDrain));
  EXPECT_EQ(finding.edge().to(), kTimer);
  EXPECT_THAT(finding.why(),
              ::testing::Contains("feeder sleeps 98 % of the time, 1 ms at a time."));
  EXPECT_THAT(finding.doubts(), ElementsAre(HasSubstr("Nothing shows whether there is work")));
  EXPECT_EQ(finding.natural_fixes(0).change(), "timer");
}

TEST_F(OwnSleepFinding, IsNotOfThreadsThatLookAtTheClockWhileTheyWaitForWork) {
  // epoll_wait with a timeout ends by the timer, too.
  report_.mutable_edges(0)->mutable_reasons(0)->mutable_objects(0)->set_object("epoll");
  EXPECT_EQ(TellOwnSleep(report_), nullptr);
  EXPECT_EQ(report_.verdict(), "Nothing holds the target up.");
}

TEST_F(OwnSleepFinding, IsNotOfAHelperBesideThreadsThatDoTheWork) {
  report_.mutable_vertices(kDrain)->set_run_s(1.5);
  report_.mutable_edges(0)->set_own_s(0.5);
  EXPECT_EQ(TellOwnSleep(report_), nullptr);
}

TEST_F(OwnSleepFinding, IsOnlyOfATargetThatTheUserNamed) {
  report_.mutable_scope()->set_chosen_by("busiest group");
  EXPECT_EQ(TellOwnSleep(report_), nullptr);
}

TEST_F(OwnSleepFinding, LeavesTheWordToALimitThatIsKnown) {
  ASSERT_NE(TellOwnSleep(report_), nullptr);
  EXPECT_EQ(TellOwnSleep(report_), nullptr);
  EXPECT_EQ(report_.findings_size(), 1);
}

TEST_F(OwnSleepFinding, WithoutReasonsOfWaitsIsNotTold) {
  for (pb::ReportEdge& edge : *report_.mutable_edges()) edge.clear_reasons();
  EXPECT_EQ(TellOwnSleep(report_), nullptr);
}

}  // namespace
}  // namespace gordian
