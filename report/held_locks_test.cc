// SPDX-License-Identifier: Apache-2.0
#include "report/held_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/lock_advice.h"
namespace gordian {
namespace {

using ::testing::ElementsAre;

// A reloader asks a service outside of the target for 6 of 10 seconds. A reader waits for the
// reloader for so long, in calls of that role.
pb::Report ToldOf(double waits_s, const std::string& role) {
  pb::Report report;
  for (const char* name : {"service", "reloader", "reader"}) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_label(name);
    vertex.set_kind("thread");
    vertex.set_wait_s(10);
    vertex.set_target(vertex.id() > 0);
  }
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("sleep");
  finding.set_title("service sleeps.");
  finding.add_members(0);
  finding.add_outside(0);
  finding.add_advice(
      absl::StrCat("reader waits for reloader", kIfForALock, "reloader ask before it takes it."));
  finding.add_advice("Send more at a time.");
  report.set_verdict(finding.title());
  pb::ReportEdge& asks = *report.add_edges();
  asks.set_from(1);
  asks.set_to(0);
  asks.set_own_s(6);
  pb::ReportEdge& waits = *report.add_edges();
  waits.set_from(2);
  waits.set_to(1);
  waits.set_own_s(waits_s);
  pb::WaitObject& object = *waits.add_reasons()->add_objects();
  object.set_role(role);
  object.set_share(0.9);
  TellHeldLocks(report);
  return report;
}

TEST(HeldLocks, AreToldWithWhoHoldsThemAndWhoWaits) {
  const pb::Report report = ToldOf(8, "lock");
  EXPECT_EQ(report.verdict(),
            "reloader holds a lock while it waits for service, outside of the target; reader waits "
            "80 % of the time for that lock.");
  EXPECT_EQ(report.findings(0).title(), report.verdict());
  EXPECT_THAT(report.findings(0).members(), ElementsAre(0, 1));
  EXPECT_THAT(report.findings(0).outside(), ElementsAre(0));
  EXPECT_THAT(report.findings(0).advice(),
              ElementsAre("Let reloader ask before it takes the lock, or after it gave it back.",
                          "Send more at a time."));
}

TEST(HeldLocks, AreNotToldOfThreadsThatWaitForWork) {
  const pb::Report report = ToldOf(8, "condition variable");
  EXPECT_EQ(report.verdict(), "service sleeps.");
  EXPECT_THAT(report.findings(0).advice(), ElementsAre("Send more at a time."));
}

TEST(HeldLocks, AreNotToldOfShortWaits) {
  EXPECT_EQ(ToldOf(2, "lock").verdict(), "service sleeps.");
  EXPECT_EQ(ToldOf(2, "").findings(0).advice_size(), 2) << "it may be for a lock";
}

}  // namespace
}  // namespace gordian
