// SPDX-License-Identifier: Apache-2.0
#include "report/held_back_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A sleeps from 10 to 900; `issuer` asks the disk at `issue_ns`, and its completion wakes A.
class HeldBackRequests : public ::testing::Test {
 protected:
  const pb::Finding& Of(const std::string& worker, int issuer, int issue_ns) {
    const ScenarioTimeline recorded(absl::StrCat(
        "end 1000\nthread 1 A R\nkernel 2 ", worker, " I\nthread 3 B S\ndisk 8 vda\n",
        "1 0 switch 0 1\n10 0 switch 1 0 D\n", issue_ns, " 1 issue ", issuer, " 8 4096 5\n",
        "900 1 complete 8 5 ", 900 - issue_ns, "\n900 1 wake 1 by disk 8\n901 0 switch 0 1\n"));
    for (const Entity& entity : recorded.timeline().entities()) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_name(entity.name);
      vertex.set_kind(entity.kind == EntityKind::kDisk ? "disk" : "thread");
    }
    pb::Finding& finding = *report_.add_findings();
    finding.set_title("A and vda hold each other up.");
    finding.add_advice("Ask it less often.");
    finding.add_natural_fixes();
    finding.mutable_edge()->set_from(recorded.Id("A"));
    finding.mutable_edge()->set_to(recorded.Id("vda"));
    if (has_told_capacity_) finding.mutable_capacity()->set_name("vda");
    report_.set_verdict(finding.title());
    const Waits waits(recorded.timeline(), {});
    std::vector<uint32_t> vertex_of_entity(waits.entities().size());
    std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
    const Timeline& timeline = recorded.timeline();
    TellHeldBackRequests(waits, vertex_of_entity, {timeline.start_ns(), timeline.end_ns()},
                         report_);
    return finding;
  }

  pb::Report report_;
  bool has_told_capacity_ = false;
};

TEST_F(HeldBackRequests, AreALimitsWhereThatIssuesThem) {
  const pb::Finding& finding = Of("kworker/1:2-kthrotld", 2, 810);
  EXPECT_EQ(finding.title(),
            "A limit of I/O of a control group holds A back, before the requests come to the disk "
            "vda.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_EQ(
      finding.why(0),
      "90 % of this waiting is over before the disk vda has the request. kworker/1:2-kthrotld "
      "gives it to the disk then: it keeps control groups to their limits.");
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("io.max")));
  EXPECT_THAT(finding.natural_fixes(), IsEmpty());
  EXPECT_FALSE(finding.no_natural_fix_because().empty());
}

TEST_F(HeldBackRequests, LeaveTheReasonThatAPersonTold) {
  has_told_capacity_ = true;
  const pb::Finding& finding = Of("kworker/1:2-kthrotld", 2, 810);
  EXPECT_EQ(finding.title(), "A and vda hold each other up.");
  EXPECT_THAT(finding.why(), ElementsAre(HasSubstr("kthrotld gives it to the disk then")));
}

TEST_F(HeldBackRequests, AreToldWhereALayerBetweenIssuesThem) {
  const pb::Finding& finding = Of("kworker/1:2-kcryptd", 2, 810);
  EXPECT_EQ(finding.title(), "A and vda hold each other up.");
  EXPECT_THAT(finding.why(), ElementsAre(HasSubstr("kcryptd gives it to the disk then.")));
  EXPECT_THAT(finding.advice(), ElementsAre("Ask it less often."));
}

TEST_F(HeldBackRequests, AreNoneWhereTheDiskHasThemMostOfTheTime) {
  EXPECT_THAT(Of("kworker/1:2-kthrotld", 2, 200).why(), IsEmpty());
}

TEST_F(HeldBackRequests, AreNoneOfOtherPrograms) {
  EXPECT_THAT(Of("kworker/1:2-kthrotld", 3, 810).why(), IsEmpty());
}

}  // namespace
}  // namespace gordian
