// SPDX-License-Identifier: Apache-2.0
#include "analysis/blocking_askers.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

// Four workers have four requests under way to a partner, 28 wait in them; they wait for the
// partner in such calls.
pb::NaturalFix FixOf(const std::string& reason, uint64_t at_once = 4) {
  pb::Report report;
  pb::ReportVertex& workers = *report.add_vertices();
  for (uint32_t thread = 10; thread < 14; ++thread) workers.add_members(thread);
  report.add_vertices()->set_id(1);
  pb::ReportEdge& waits = *report.add_edges();
  waits.set_from(0);
  waits.set_to(1);
  waits.set_own_s(9);
  waits.add_reasons()->set_reason(reason);
  waits.mutable_reasons(0)->set_share(0.95);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("knot");
  finding.add_outside(1);
  finding.mutable_let_through()->set_at_once(at_once);
  finding.mutable_let_through()->set_kept(28);
  pb::NaturalFix& fix = *finding.add_natural_fixes();
  fix.set_change("in-flight");
  fix.set_who(0);
  fix.set_amount(8);
  AskForMoreBlockingAskers(report, [](const pb::RequestsLetThrough&) { return 4; });
  return report.findings(0).natural_fixes(0);
}

TEST(BlockingAskers, AreToBecomeMoreByTheRequestsThatWait) {
  EXPECT_EQ(FixOf("socket").change(), "add-thread");
  EXPECT_EQ(FixOf("socket").amount(), 28);
}

TEST(BlockingAskers, AreNoEventLoops) {
  EXPECT_EQ(FixOf("epoll").change(), "in-flight");
  EXPECT_EQ(FixOf("epoll").amount(), 8);
}

// Two of four workers have a connection: with more connections there are four requests under way.
TEST(BlockingAskers, OfWhomOnlySomeMayAskSendNoMoreThanTheyAre) {
  EXPECT_EQ(FixOf("socket", 2).change(), "in-flight");
  EXPECT_EQ(FixOf("socket", 2).amount(), 2);
  EXPECT_EQ(FixOf("socket", 3).amount(), 2);
  EXPECT_EQ(FixOf("epoll", 2).amount(), 8);
}

}  // namespace
}  // namespace gordian
