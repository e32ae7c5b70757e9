// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analyzer/findings/findings.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void AddFinding(const char* kind, const std::vector<uint32_t>& members, pb::Report& report) {
  pb::Finding& finding = *report.add_findings();
  finding.set_kind(kind);
  finding.mutable_members()->Add(members.begin(), members.end());
  finding.set_confidence(1);
  finding.set_sure("sure");
}

// The target, vertex 0, works for `work_s`; a knot of `members` was found, if there are any.
pb::Report ReportOf(double work_s, const std::vector<uint32_t>& members) {
  pb::Report report;
  pb::ReportVertex& target = *report.add_vertices();
  target.set_target(true);
  target.set_run_s(work_s);
  if (!members.empty()) AddFinding("knot", members, report);
  return report;
}

// The same of a part.
PartJudgement PartOf(double work_s, const std::vector<uint32_t>& members) {
  PartJudgement part{.work_s = work_s};
  if (!members.empty()) part.found.push_back({FindingKind::kKnot, members});
  return part;
}

pb::Report Doubted(pb::Report whole, const std::vector<PartJudgement>& parts) {
  DoubtUnsteadyFindings(HowFindingsFared(whole, parts), whole);
  return whole;
}

TEST(AFinding, ThatHoldsInSixOfEightPartsIsNotDoubted) {
  std::vector<PartJudgement> parts(6, PartOf(1, {1, 2}));
  parts.resize(8, PartOf(1, {}));
  const pb::Report report = Doubted(ReportOf(8, {1, 2}), parts);
  EXPECT_EQ(report.findings(0).confidence(), 1);
  EXPECT_THAT(report.findings(0).doubts(), IsEmpty());
}

TEST(AFinding, ThatHoldsInFewerPartsIsTrustedByTheWorkInThemAndTellsTheirNumber) {
  std::vector<PartJudgement> parts(4, PartOf(1, {1, 2}));
  parts.resize(8, PartOf(1, {}));
  const pb::Report report = Doubted(ReportOf(8, {1, 2}), parts);
  EXPECT_DOUBLE_EQ(report.findings(0).confidence(), 5.0 / 9);
  EXPECT_EQ(report.findings(0).sure(), "possible");
  EXPECT_THAT(report.findings(0).doubts(),
              ElementsAre("It holds in 4 of 8 parts of the recording that are equally long: look "
                          "at these alone (--from, --to)."));
}

TEST(AFinding, ThatNoPartIsLongEnoughToShowIsAGuessAndNotDenied) {
  const pb::Report report =
      Doubted(ReportOf(8, {1, 2}), std::vector<PartJudgement>(8, PartOf(1, {})));
  EXPECT_GT(report.findings(0).confidence(), 0);
  EXPECT_EQ(report.findings(0).sure(), "a guess");
}

TEST(AFinding, IsLikelyAtMostIfMostOfTheTimeWasOnePause) {
  pb::Report report = ReportOf(8, {1, 2});
  DoubtAfterALongPause({.ns = 2'400'000'000, .of_ns = 3'400'000'000}, report);
  EXPECT_EQ(report.findings(0).sure(), "likely");
  EXPECT_THAT(report.findings(0).doubts(),
              ElementsAre("The recording paused for 2.4 s of 3.4 s in a row to keep to its budget: "
                          "it may have been otherwise then. Record again with a larger --budget."));
}

TEST(AFinding, IsNotDoubtedForShortPauses) {
  pb::Report report = ReportOf(8, {1, 2});
  DoubtAfterALongPause({.ns = 800'000'000, .of_ns = 3'400'000'000}, report);
  DoubtAfterALongPause({.ns = 0, .of_ns = 0}, report);
  EXPECT_THAT(report.findings(0).doubts(), IsEmpty());
  EXPECT_EQ(report.findings(0).confidence(), 1);
}

TEST(AFinding, IsNotDoubtedForPartsInWhichTheTargetDidNotWork) {
  std::vector<PartJudgement> parts(2, PartOf(1, {1, 2}));
  parts.resize(8, PartOf(0, {}));
  EXPECT_EQ(Doubted(ReportOf(2, {1, 2}), parts).findings(0).confidence(), 1);
}

TEST(AFinding, HoldsInAPartIfMostOfItsMembersAreThere) {
  const pb::Report most = Doubted(ReportOf(8, {1, 2, 3}), {8, PartOf(1, {2, 3, 4})});
  EXPECT_EQ(most.findings(0).confidence(), 1);
  const pb::Report few = Doubted(ReportOf(8, {1, 2, 3}), {8, PartOf(1, {3, 4, 5})});
  EXPECT_LT(few.findings(0).confidence(), 1);
}

TEST(AFinding, OfAnotherKindIsAnotherFinding) {
  PartJudgement part = PartOf(1, {});
  part.found.push_back({FindingKind::kSink, {1, 2}});
  EXPECT_LT(Doubted(ReportOf(8, {1, 2}), {8, part}).findings(0).confidence(), 1);
}

}  // namespace
}  // namespace gordian
