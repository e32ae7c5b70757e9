// SPDX-License-Identifier: Apache-2.0
#include "report/report_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::StartsWith;

TEST(DiffReports, RecordingsThatAreAlikeHaveTheSameLimit) {
  const pb::Report report = TestReport("figure1");
  const pb::ReportDiff diff = DiffReports(report, report);
  EXPECT_THAT(diff.verdict(), StartsWith("The limit is the same: \"B and the disk vda"));
  ASSERT_EQ(diff.findings_size(), 1);
  EXPECT_EQ(diff.findings(0).change(), "stays");
  for (const pb::EdgeChange& edge : diff.edges()) EXPECT_EQ(edge.change(), 0);
}

TEST(DiffReports, OtherTidsIdsAndLengthsAreTheSameProgram) {
  const pb::Report before = TestReport("figure1");
  pb::Report after = before;
  after.mutable_recording()->set_seconds(20);
  for (auto& vertex : *after.mutable_vertices()) {
    vertex.set_id(vertex.id() + 7);
    if (vertex.tid() != 0) vertex.set_tid(vertex.tid() + 1000);
  }
  for (auto& edge : *after.mutable_edges()) {
    edge.set_from(edge.from() + 7);
    edge.set_to(edge.to() + 7);
    edge.set_weight_s(edge.weight_s() * 2);
    edge.set_own_s(edge.own_s() * 2);
    edge.set_count(edge.count() * 2);
  }
  for (uint32_t& member : *after.mutable_findings(0)->mutable_members()) member += 7;
  const pb::ReportDiff diff = DiffReports(before, after);
  EXPECT_EQ(diff.findings(0).change(), "stays");
  EXPECT_EQ(diff.edges_size(), 3);
  for (const pb::EdgeChange& edge : diff.edges()) EXPECT_THAT(edge.change(), DoubleNear(0, 1e-9));
}

TEST(DiffReports, BiggestChangeComesFirstAndWhatIsOnlyThereOnceCountsAsNothing) {
  const pb::Report before = TestReport("figure1");
  pb::Report after = before;
  after.mutable_edges(1)->set_weight_s(1);  // B -> vda
  after.mutable_edges()->RemoveLast();      // vda -> B
  const pb::ReportDiff diff = DiffReports(before, after);
  EXPECT_EQ(diff.edges(0).from(), "B");
  EXPECT_EQ(diff.edges(0).to(), "vda");
  EXPECT_THAT(diff.edges(0).change(), DoubleNear(-0.9, 1e-9));
  EXPECT_EQ(diff.edges(1).from(), "vda");
  EXPECT_THAT(diff.edges(1).before_weight(), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(diff.edges(1).after_weight(), 0);
  EXPECT_EQ(diff.edges(2).change(), 0);
}

TEST(DiffReports, WaitsOfOtherProgramsAreMarked) {
  const pb::ReportDiff diff = DiffReports(TestReport("empty"), TestReport("lossy"));
  for (const pb::EdgeChange& edge : diff.edges()) {
    EXPECT_EQ(edge.in_scope(), !edge.from().starts_with("kworker")) << edge.from();
  }
}

TEST(DiffReports, TheVerdictSaysWhereTheLimitWent) {
  const pb::Report knot = TestReport("figure1"), nothing = TestReport("nothing");
  EXPECT_THAT(DiffReports(knot, nothing).verdict(),
              StartsWith("The limit is gone: \"B and the disk"));
  EXPECT_THAT(DiffReports(nothing, knot).verdict(), StartsWith("There is a limit now"));
  EXPECT_EQ(DiffReports(nothing, nothing).verdict(),
            "Neither recording shows what limits the program.");
  EXPECT_THAT(DiffReports(knot, TestReport("lossy")).verdict(),
              StartsWith("The limit has moved from \"B and"));
  pb::Report less = knot;
  less.mutable_findings(0)->set_share(0.4);
  EXPECT_THAT(DiffReports(knot, less).verdict(),
              ::testing::EndsWith("has fallen from 100 % to 40 % of the recording."));
}

TEST(DiffReports, OfSeveralRecordingsASideMeansAreCompared) {
  const pb::Report usual = TestReport("figure1");
  pb::Report slow = usual;
  slow.mutable_edges(1)->set_weight_s(4);  // B -> vda
  slow.mutable_findings(0)->set_share(0.5);
  const std::vector<pb::Report> before = {usual, usual}, after = {usual, slow};
  const pb::ReportDiff diff = DiffReports(before, after);
  EXPECT_THAT(diff.verdict(),
              ::testing::EndsWith("has fallen from 100 % to 75 % of the recording."));
  EXPECT_EQ(diff.edges(0).to(), "vda");
  EXPECT_THAT(diff.edges(0).before_weight(), DoubleNear(1, 1e-9));
  EXPECT_THAT(diff.edges(0).after_weight(), DoubleNear(0.7, 1e-9));
  EXPECT_EQ(diff.findings(0).after_recordings(), 2u);
  EXPECT_EQ(diff.before_recordings_size(), 2);
}

TEST(DiffReports, TheLimitOfASideIsThatOfMostOfItsRecordings) {
  const pb::Report knot = TestReport("figure1"), nothing = TestReport("nothing");
  const std::vector<pb::Report> mostly = {nothing, knot, knot}, hardly = {nothing, nothing, knot};
  EXPECT_THAT(DiffReports(mostly, hardly).verdict(), StartsWith("The limit is gone"));
  EXPECT_EQ(DiffReports(hardly, hardly).verdict(),
            "The recordings do not show what limits the program.");
}

TEST(DiffReports, BackgroundKnotsComeLastAndEmptyReportsAreFine) {
  const pb::ReportDiff diff = DiffReports(TestReport("empty"), TestReport("lossy"));
  ASSERT_EQ(diff.findings_size(), 3);
  EXPECT_EQ(diff.findings(0).kind(), "knot");
  EXPECT_EQ(diff.findings(2).kind(), "background");
  for (const pb::FindingChange& change : diff.findings()) EXPECT_EQ(change.change(), "new");
}

}  // namespace
}  // namespace gordian
