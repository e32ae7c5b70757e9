// SPDX-License-Identifier: Apache-2.0
#include "report/locks_of_askers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Five workers in a group and one alone, of one program, each 4 s long. They have one request at a
// time under way.
class AskersWithALock : public ::testing::Test {
 protected:
  AskersWithALock() {
    for (const int threads : {5, 1}) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_name("worker");
      vertex.set_kind(threads > 1 ? "group" : "thread");
      vertex.set_target(true);
      vertex.set_wait_s(4.0 * threads);
    }
    pb::Finding& finding = *report_.add_findings();
    finding.set_kind("knot");
    finding.set_title("worker is the limit: 6 of its threads have 1 request at a time under way.");
    finding.add_members(0);
    finding.mutable_let_through()->set_at_once(1);
    finding.add_advice("They wait for each other meanwhile.");
    finding.set_no_natural_fix_because("nothing shows what they wait for meanwhile");
    report_.set_verdict(finding.title());
  }

  pb::WaitReason& Wait(uint32_t from, uint32_t to, double own_s, const std::string& reason) {
    pb::ReportEdge& edge = *report_.add_edges();
    edge.set_from(from);
    edge.set_to(to);
    edge.set_own_s(own_s);
    pb::WaitReason& added = *edge.add_reasons();
    added.set_reason(reason);
    added.set_share(1);
    return added;
  }

  const pb::Finding& Told() {
    TellLocksOfAskers(report_);
    return report_.findings(0);
  }

  pb::Report report_;
};

TEST_F(AskersWithALock, AreToldTheFileAndAskedAboutIt) {
  Wait(0, 0, 12, "file lock").add_objects()->set_text("flock of /var/queue");
  Wait(1, 0, 3, "file lock").add_objects()->set_text("flock of /var/queue");
  const pb::Finding& finding = Told();
  EXPECT_EQ(
      finding.title(),
      "worker is the limit: 6 of its threads have 1 request at a time under way; they wait "
      "62 % of the time for the lock of a file (flock of /var/queue) that one of them holds.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Ask before the lock is taken")));
  EXPECT_THAT(finding.no_natural_fix_because(), IsEmpty());
  ASSERT_EQ(finding.natural_fixes_size(), 1);
  EXPECT_EQ(finding.natural_fixes(0).change(), "lock");
  EXPECT_EQ(finding.natural_fixes(0).who(), 0);
  EXPECT_EQ(finding.natural_fixes(0).whom(), 0);
}

TEST_F(AskersWithALock, AreToldALockThatTheirCodeTells) {
  pb::WaitObject& object = *Wait(0, 0, 15, "futex").add_objects();
  object.set_role("lock");
  object.set_share(1);
  EXPECT_THAT(Told().title(), HasSubstr("75 % of the time for a lock that one of them holds"));
}

TEST_F(AskersWithALock, AreNotToldOneForWhichTheyHardlyWait) {
  Wait(0, 0, 6, "file lock").add_objects()->set_text("flock of /var/queue");
  EXPECT_THAT(Told().natural_fixes(), IsEmpty());
}

TEST_F(AskersWithALock, AreNotToldOneIfTheyWaitForSomethingElse) {
  Wait(0, 0, 15, "socket");
  EXPECT_THAT(Told().natural_fixes(), IsEmpty());
}

}  // namespace
}  // namespace gordian
