// SPDX-License-Identifier: Apache-2.0
#include "analysis/sleep_of_requests_finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr EntityId kPipeReader = 0, kCollector = 1;

class SleepOfRequestsFinding : public ::testing::Test {
 protected:
  SleepOfRequestsFinding() {
    for (const char* name : {"reader", "collector"}) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_name(name);
      vertex.set_label(name);
      vertex.set_kind("thread");
    }
    report_.set_verdict("Nothing holds the target up.");
  }
  void Tell() { TellSleepOfRequests(sleep_, let_through_, {0, 1}, report_); }

  SleepOfRequests sleep_{.sleeper = kCollector,
                         .share = 0.75,
                         .port = 8080,
                         .requests = 1231,
                         .mean_s = 0.0652,
                         .open = 16};
  std::vector<LetThrough> let_through_{{.program = "reader",
                                        .most = 1,
                                        .full_share = 0.99,
                                        .askers = {kPipeReader},
                                        .servers = {kCollector}}};
  pb::Report report_;
};

TEST_F(SleepOfRequestsFinding, IsTheLimitWhereTheGraphShowsNone) {
  Tell();
  ASSERT_EQ(report_.findings_size(), 1);
  const pb::Finding& finding = report_.findings(0);
  EXPECT_EQ(finding.title(),
            "The limit is outside of the target: requests to port 8080 wait 75 % of their time for "
            "collector, which sleeps.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.outside(), ElementsAre(kCollector));
  EXPECT_EQ(finding.upper_bound_gain(), 4);
  EXPECT_THAT(finding.why(),
              ElementsAre(HasSubstr("1,231 requests to port 8080 took 65.2 ms on average"),
                          HasSubstr("reader has 1 request at a time under way to it")));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Let reader ask it for several at a time")));
  EXPECT_EQ(finding.natural_fixes(0).change(), "in-flight");
}

TEST_F(SleepOfRequestsFinding, AdvisesAgainstPollingWhereNothingShowsWhatItSleepsFor) {
  let_through_.clear();
  Tell();
  ASSERT_EQ(report_.findings_size(), 1);
  EXPECT_THAT(report_.findings(0).advice(), ElementsAre(HasSubstr("If it polls")));
  EXPECT_EQ(report_.findings_size(), 1);
}

TEST_F(SleepOfRequestsFinding, IsNotToldBesideALimit) {
  report_.add_findings()->set_kind("knot");
  Tell();
  EXPECT_EQ(report_.findings_size(), 1);
}

TEST_F(SleepOfRequestsFinding, IsNotToldOfServersThatAreFreeMostOfTheTime) {
  sleep_.open = 0.8;
  Tell();
  EXPECT_EQ(report_.findings_size(), 0);
}

TEST_F(SleepOfRequestsFinding, IsNotToldOfASmallShare) {
  sleep_.share = 0.4;
  Tell();
  EXPECT_EQ(report_.findings_size(), 0);
}

// A knot or a sleep that the graph shows of a loop whose own timer delays requests.
class OwnTimerFinding : public SleepOfRequestsFinding {
 protected:
  OwnTimerFinding() {
    sleep_.is_own_timer = true;
    pb::Finding& finding = *report_.add_findings();
    finding.set_kind("knot");
    finding.set_title("reader waits 58 % of the time for collector.");
    finding.add_members(kPipeReader);
    finding.add_members(kCollector);
    finding.add_advice("Send more at a time.");
    finding.add_natural_fixes()->set_change("in-flight");
    report_.set_verdict(finding.title());
  }
  bool TellTimer() { return TellOwnTimer(sleep_, {0, 1}, report_); }
};

TEST_F(OwnTimerFinding, IsToldInWordsOfRequests) {
  ASSERT_TRUE(TellTimer());
  const pb::Finding& finding = report_.findings(0);
  EXPECT_EQ(finding.title(),
            "collector is the limit: it delays requests to port 8080 by its own timer for 75 % of "
            "their time.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.why(0), HasSubstr("They stand behind nobody"));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("raise that limit")));
  ASSERT_EQ(finding.natural_fixes_size(), 1);
  EXPECT_EQ(finding.natural_fixes(0).change(), "timer");
  EXPECT_EQ(finding.natural_fixes(0).who(), kCollector);
}

TEST_F(OwnTimerFinding, IsNotToldOfThreadsThatServeNobodyMeanwhile) {
  sleep_.is_own_timer = false;
  EXPECT_FALSE(TellTimer());
}

TEST_F(OwnTimerFinding, IsNotToldInALimitOfOthers) {
  report_.mutable_findings(0)->clear_members();
  EXPECT_FALSE(TellTimer());
  EXPECT_EQ(report_.findings(0).advice(0), "Send more at a time.");
}

TEST_F(OwnTimerFinding, IsNotToldOfASmallShare) {
  sleep_.share = 0.4;
  EXPECT_FALSE(TellTimer());
}

}  // namespace
}  // namespace gordian
