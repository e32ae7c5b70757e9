// SPDX-License-Identifier: Apache-2.0
#include "analysis/sent_by_clock_finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr EntityId kCrawler = 0, kShop = 1;

// The crawler sends that many of 100 requests by the clock; the report says that it waits for the
// shop.
pb::Report ToldOf(uint64_t by_clock, uint64_t requests = 100, const std::string& object = "epoll") {
  pb::Report report;
  for (const char* name : {"crawler", "shop", "timer"}) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_label(name);
    vertex.set_kind(vertex.id() == 2 ? "timer" : "thread");
    vertex.set_wait_s(10);
  }
  report.mutable_vertices(0)->set_target(true);
  report.mutable_vertices(0)->set_run_s(2);
  report.mutable_vertices(0)->set_wait_s(8);
  pb::ReportEdge& timed = *report.add_edges();
  timed.set_from(0);
  timed.set_to(2);
  timed.set_own_s(3);
  pb::WaitObject& waited = *timed.add_reasons()->add_objects();
  waited.set_object(object);
  waited.set_share(1);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("sleep");
  finding.set_title("shop sleeps.");
  finding.add_members(1);
  finding.add_outside(1);
  finding.add_advice("Send more at a time.");
  finding.add_natural_fixes()->set_change("in-flight");
  report.set_verdict(finding.title());
  const std::vector<SentByClock> sent = {
      {.asker = kCrawler, .servers = {kShop}, .requests = requests, .by_clock = by_clock}};
  TellSentByClock(sent, {0, 1, 2}, report);
  return report;
}

TEST(SentByClockFinding, TellsTheClockBesideTheServer) {
  const pb::Report report = ToldOf(95);
  const pb::Finding& finding = report.findings(0);
  EXPECT_EQ(report.verdict(),
            "crawler asks shop by its own clock: it sends 95 % of its requests when a timer ends, "
            "and waits 30 % of the time for that.");
  EXPECT_THAT(finding.members(), ElementsAre(0, 1));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("If the timer limits a rate"),
                                            HasSubstr("If that pace is wanted")));
  EXPECT_EQ(finding.natural_fixes(0).change(), "timer");
  EXPECT_EQ(finding.natural_fixes(0).who(), 0u);
  EXPECT_EQ(finding.natural_fixes_size(), 1) << "more at a time would stand behind the clock, too";
  EXPECT_NEAR(finding.upper_bound_gain(), 5, 1e-9);
}

TEST(SentByClockFinding, IsNoneWhereAnswersLetRequestsGo) {
  EXPECT_EQ(ToldOf(40).verdict(), "shop sleeps.");
}

TEST(SentByClockFinding, IsNoneOfAThreadThatSleepsBetweenRequests) {
  EXPECT_EQ(ToldOf(95, 100, "timer").verdict(), "shop sleeps.");
}

TEST(SentByClockFinding, IsNoneOfFewRequests) {
  EXPECT_EQ(ToldOf(10, 10).verdict(), "shop sleeps.");
}

}  // namespace
}  // namespace gordian
