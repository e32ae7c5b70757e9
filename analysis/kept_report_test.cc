// SPDX-License-Identifier: Apache-2.0
#include "analysis/kept_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/this_program.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

class KeptReportTest : public ::testing::Test {
 protected:
  KeptReportTest() : recording_(folder_ / "recording") {
    WriteScenario(ParseScenario("end 1000\nthread 1 A R\nthread 2 B S\n"
                                "10 0 switch 0 1\n100 0 wake 2 by 1\n---\n"),
                  recording_, 1000);
    auto store = Store::Open({.folder = folder_ / "store", .keep_free_bytes = 0});
    EXPECT_TRUE(store.ok()) << store.status();
    if (store.ok()) store_ = *std::move(store);
  }

  pb::PageData Analyzed() const {
    const auto analysis = Analysis::Run(recording_);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    return analysis->Page();
  }
  KeptReport Kept(const AnalysisOptions& options = {}, const std::string& program = "one") const {
    return {store_, recording_, options, program};
  }

  const TemporaryDirectory folder_;
  const std::string recording_;
  Store store_;
};

TEST_F(KeptReportTest, GivesBackWhatWasKept) {
  EXPECT_FALSE(Kept().Find(true).has_value());
  const pb::PageData page = Analyzed();
  ASSERT_TRUE(Kept().Keep(page, true).ok());
  const auto found = Kept().Find(true);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->SerializeAsString(), page.SerializeAsString());
  const auto report = Kept().Find(false);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->report().SerializeAsString(), page.report().SerializeAsString());
}

TEST_F(KeptReportTest, HasNoPageWhereOnlyTheReportWasKept) {
  ASSERT_TRUE(Kept().Keep(Analyzed(), false).ok());
  EXPECT_TRUE(Kept().Find(false).has_value());
  EXPECT_FALSE(Kept().Find(true).has_value());
}

TEST_F(KeptReportTest, IsOfNoOtherOptions) {
  ASSERT_TRUE(Kept().Keep(Analyzed(), true).ok());
  const std::vector<std::function<void(AnalysisOptions&)>> changes = {
      [](AnalysisOptions& o) { o.target.pids = {1}; },
      [](AnalysisOptions& o) { o.target.comms = {"A"}; },
      [](AnalysisOptions& o) { o.target.cgroups = {"A"}; },
      [](AnalysisOptions& o) { o.target.nodes = {"A"}; },
      [](AnalysisOptions& o) { o.graph.groups = {"A=B"}; },
      [](AnalysisOptions& o) { o.graph.no_merge = true; },
      [](AnalysisOptions& o) { o.graph.assume_false_wakeups = true; },
      [](AnalysisOptions& o) { o.finding.threshold = 0.3; },
      [](AnalysisOptions& o) { o.finding.max_vertices = 3; },
      [](AnalysisOptions& o) { o.finding.keep_background = true; },
      [](AnalysisOptions& o) { o.finding.explain = true; },
      [](AnalysisOptions& o) { o.range.from_ns = 1; },
      [](AnalysisOptions& o) { o.range.to_ns = 1; },
      [](AnalysisOptions& o) { o.capacities.links = {"eth0=1G"}; },
      [](AnalysisOptions& o) { o.capacities.disks = {"vda=1kIOPS"}; },
      [](AnalysisOptions& o) { o.predictions = FixOptions{}; },
      [](AnalysisOptions& o) { o.predictions = FixOptions{.command = "gordian whatif x"}; },
      [](AnalysisOptions& o) { o.job = JobRequest{}; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    AnalysisOptions options;
    changes[i](options);
    EXPECT_FALSE(Kept(options).Find(false).has_value()) << i;
  }
  AnalysisOptions same;
  same.threads = 1;
  same.memory.bytes = 1;
  EXPECT_TRUE(Kept(same).Find(false).has_value());
}

TEST(ReportOptionsText, TellsListsApartThatJoinToTheSameText) {
  AnalysisOptions one, other;
  one.target.comms = {"a", "b"};
  other.target.comms = {"a;1:b"};
  EXPECT_NE(ReportOptionsText(one, ""), ReportOptionsText(other, ""));
  other.target.comms = {"a"};
  other.target.cgroups = {"b"};
  EXPECT_NE(ReportOptionsText(one, ""), ReportOptionsText(other, ""));
}

TEST_F(KeptReportTest, IsOfNoOtherProgram) {
  ASSERT_TRUE(Kept().Keep(Analyzed(), true).ok());
  EXPECT_FALSE(Kept({}, "another").Find(false).has_value());
  EXPECT_FALSE(Kept({}, "").Find(false).has_value());
  EXPECT_FALSE(ThisProgram().empty());
}

TEST_F(KeptReportTest, IsGoneWhenTheRecordingChanges) {
  const KeptReport before = Kept();
  const pb::PageData page = Analyzed();
  ASSERT_TRUE(before.Keep(page, true).ok());
  std::ofstream(recording_ + "/cpu-000.trace", std::ios::app) << "more";
  EXPECT_FALSE(Kept().Find(false).has_value());
}

TEST_F(KeptReportTest, IsNotKeptIfTheRecordingChangedMeanwhile) {
  const KeptReport meanwhile = Kept();
  const pb::PageData page = Analyzed();
  std::ofstream(recording_ + "/cpu-000.trace", std::ios::app) << "more";
  ASSERT_TRUE(meanwhile.Keep(page, true).ok());
  EXPECT_TRUE(store_.List().empty());
}

TEST_F(KeptReportTest, NeedsAStoreAndARecording) {
  const Store none;
  const KeptReport without_store(none, recording_, {}, "one");
  EXPECT_TRUE(without_store.Keep(Analyzed(), true).ok());
  EXPECT_FALSE(without_store.Find(false).has_value());
  const KeptReport without_recording(store_, folder_ / "nothing", {}, "one");
  EXPECT_FALSE(without_recording.Find(false).has_value());
}

}  // namespace
}  // namespace gordian
