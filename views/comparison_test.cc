// SPDX-License-Identifier: Apache-2.0
#include "views/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

pb::ReportVertex& AddVertex(const std::string& name, const std::string& process,
                            const std::string& kind, pb::Report& report) {
  pb::ReportVertex& vertex = *report.add_vertices();
  vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
  vertex.set_name(name);
  vertex.set_process(process);
  vertex.set_kind(kind);
  return vertex;
}

pb::Report ReportOf(double seconds) {
  pb::Report report;
  report.mutable_recording()->set_seconds(seconds);
  return report;
}

TEST(ComparedUses, AreInASecondOfRecording) {
  pb::Report before = ReportOf(10), after = ReportOf(2);
  AddVertex("server", "app", "thread", before).set_run_s(5);
  AddVertex("server", "app", "thread", after).set_run_s(0.5);
  AddVertex("vda", "", "disk", before).set_busy_s(1);
  const ComparedReports compared = CompareReports(before, after);
  ASSERT_EQ(compared.uses.size(), 2u);
  EXPECT_EQ(compared.uses[0].name, "server") << "changed most";
  EXPECT_DOUBLE_EQ(compared.uses[0].before.run, 0.5);
  EXPECT_DOUBLE_EQ(compared.uses[0].after.run, 0.25);
  EXPECT_EQ(compared.uses[1].kind, "disk");
  EXPECT_DOUBLE_EQ(compared.uses[1].before.run, 0.1);
  EXPECT_DOUBLE_EQ(compared.uses[1].after.run, 0);
  EXPECT_EQ(compared.uses[1].after.threads, 0u);
}

TEST(ComparedUses, OfOneNameInTwoProcessesAreApart) {
  pb::Report before = ReportOf(1), after = ReportOf(1);
  AddVertex("worker", "a", "thread", before).set_run_s(1);
  AddVertex("worker", "a", "thread", before).set_run_s(0.5);  // another node's, say
  AddVertex("worker", "b", "thread", after).set_run_s(0.25);
  const ComparedReports compared = CompareReports(before, after);
  ASSERT_EQ(compared.uses.size(), 2u);
  EXPECT_EQ(compared.uses[0].name, "a/worker");
  EXPECT_DOUBLE_EQ(compared.uses[0].before.run, 1.5);
  EXPECT_EQ(compared.uses[0].before.threads, 2u);
  EXPECT_EQ(compared.uses[1].name, "b/worker");
}

TEST(ComparedUses, OfAnEmptyRecordingAreNone) {
  pb::Report empty = ReportOf(0), after = ReportOf(1);
  AddVertex("worker", "a", "thread", empty).set_run_s(1);
  EXPECT_DOUBLE_EQ(CompareReports(empty, after).uses[0].before.run, 0);
  EXPECT_TRUE(CompareReports(pb::Report(), pb::Report()).uses.empty());
}

TEST(ComparedUses, ThatAreTooManyAreCounted) {
  pb::Report before = ReportOf(1);
  for (int i = 0; i < 600; ++i) AddVertex(absl::StrCat("t", i), "p", "thread", before).set_run_s(i);
  const ComparedReports compared = CompareReports(before, ReportOf(1));
  EXPECT_EQ(compared.uses.size(), kMostComparedUses);
  EXPECT_EQ(compared.uses_left_out, 100u);
  EXPECT_EQ(compared.uses[0].name, "t599");
}

TEST(ComparedReports, OfOneRecordingWithItselfHaveNoChange) {
  const QueryRecording figure("figure1.txt");
  const pb::Report& report = figure.analysis().report();
  const ComparedReports compared = CompareReports(report, report);
  for (const pb::EdgeChange& edge : compared.diff.edges()) EXPECT_EQ(edge.change(), 0);
  for (const pb::FindingChange& finding : compared.diff.findings())
    EXPECT_EQ(finding.change(), "stays");
  EXPECT_EQ(compared.uses.size(), static_cast<size_t>(report.vertices_size()));
  for (const ComparedName& use : compared.uses) EXPECT_EQ(use.before.wait, use.after.wait);
}

}  // namespace
}  // namespace gordian
