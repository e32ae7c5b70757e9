// SPDX-License-Identifier: Apache-2.0
#include "report/time_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sleeps; its wait is for such an object for that share of it.
pb::Finding ToldOf(const std::string& object, double share, const std::string& kind = "timer") {
  pb::Report report;
  report.add_vertices()->set_name("A");
  report.add_vertices()->set_kind(kind);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("sleep");
  finding.mutable_edge()->set_to(1);
  finding.add_advice("Sleep shorter.");
  pb::ReportEdge& edge = *report.add_edges();
  edge.set_to(1);
  pb::WaitObject& waited = *edge.add_reasons()->add_objects();
  waited.set_object(object);
  waited.set_share(share);
  TellTimeLimits(report);
  return report.findings(0);
}

TEST(TimeLimits, ThatEndWaitsForEventsAreToldFirst) {
  EXPECT_THAT(ToldOf("epoll", 0.9).advice(),
              ElementsAre(HasSubstr("waits for events of its descriptors, and a time limit ends"),
                          "Sleep shorter."));
  EXPECT_THAT(ToldOf("socket", 0.6).advice(0), HasSubstr("waits for a socket"));
}

TEST(TimeLimits, AreNotToldOfSleepsByChoice) {
  EXPECT_THAT(ToldOf("timer", 1).advice(), ElementsAre("Sleep shorter."));
}

TEST(TimeLimits, AreNotToldWhereFewWaitsAreForEvents) {
  EXPECT_THAT(ToldOf("epoll", 0.3).advice(), ElementsAre("Sleep shorter."));
}

TEST(TimeLimits, AreNotToldOfWaitsThatAThreadEnds) {
  EXPECT_THAT(ToldOf("epoll", 0.9, "thread").advice(), ElementsAre("Sleep shorter."));
}

}  // namespace
}  // namespace gordian
