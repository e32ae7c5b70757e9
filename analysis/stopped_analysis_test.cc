// SPDX-License-Identifier: Apache-2.0
// An analysis that was stopped reports what an analysis of a recording that ended then reports, and
// so do early looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/early_looks.h"
#include "bench/cluster_generator.h"
#include "bench/trace_generator.h"
#include "store/store.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "whatif/testing/test_traces.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TempDir;

// As if the recorder had ended then; in blocks like those of `from`.
void WriteUntil(uint64_t time_ns, const std::string& from, const std::string& to) {
  const auto whole = SessionReader::Open(from);
  ASSERT_TRUE(whole.ok()) << whole.status();
  auto writer = SessionWriter::Create(to, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EventBlock block;
  const auto copy = [&](const EventStream& stream, auto append) {
    for (size_t i = 0; i < stream.blocks().size(); ++i) {
      ASSERT_TRUE(stream.Read(i, block).ok());
      std::erase_if(block.events, [&](const TraceEvent& e) { return e.time_ns >= time_ns; });
      if (!block.empty()) {
        ASSERT_TRUE(append(block).ok());
      }
    }
  };
  for (const auto& stream : (*whole)->cpus())
    copy(*stream, [&](EventBlock& events) { return (*writer)->AppendEvents(events); });
  if ((*whole)->tasks() != nullptr)
    copy(*(*whole)->tasks(), [&](EventBlock& events) { return (*writer)->AppendTasks(events); });
  pb::Session session = (*whole)->session();
  session.set_end_time_ns(time_ns);
  ASSERT_TRUE((*writer)->WriteSession(session).ok());
}

// But for what tells that the analysis was stopped.
std::string TextOf(pb::Report report) {
  report.mutable_recording()->clear_stopped();
  auto& counters = *report.mutable_counters();
  counters.erase(std::remove_if(counters.begin(), counters.end(),
                                [](const pb::ReportCounter& counter) {
                                  return counter.name() == "analysis_stopped";
                                }),
                 counters.end());
  return report.DebugString();
}

bool TellsOfStop(const pb::Report& report) {
  return std::any_of(
      report.counters().begin(), report.counters().end(),
      [](const pb::ReportCounter& counter) { return counter.name() == "analysis_stopped"; });
}

class StoppedAnalysis : public ::testing::Test {
 protected:
  static Analysis Run(const std::string& directory, const AnalysisOptions& options = {}) {
    auto analysis = Analysis::Run(directory, options);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    return *std::move(analysis);
  }
  // Reading asks once for each 524,288 events.
  std::string WriteLarge() const {
    EXPECT_TRUE(
        GenerateTrace({.events = 1'300'000, .threads = 24, .cpus = 4}, dir_ / "large").ok());
    return dir_ / "large";
  }
  std::string WriteFigure1(int rounds) const {
    EXPECT_TRUE(testing::Figure1Trace(rounds).WriteSession(dir_ / "figure1").ok());
    return dir_ / "figure1";
  }

  const TempDir dir_;
};

TEST_F(StoppedAnalysis, ReportsWhatARecordingThatEndedThenDoes) {
  const std::string directory = WriteLarge();
  int asked = 0;
  AnalysisOptions options{.threads = 1};
  options.stop_asked = [&asked] { return ++asked > 1; };
  const Analysis stopped = Run(directory, options);
  const pb::RecordingSummary& recording = stopped.report().recording();
  EXPECT_TRUE(stopped.stopped());
  EXPECT_TRUE(TellsOfStop(stopped.report()));
  ASSERT_TRUE(recording.has_stopped());
  EXPECT_EQ(recording.stopped().read_s(), recording.seconds());
  EXPECT_LT(recording.stopped().read_s(), recording.stopped().recorded_s());

  WriteUntil(stopped.timeline().end_ns(), directory, dir_ / "ended");
  const Analysis ended = Run(dir_ / "ended", {.threads = 2});
  EXPECT_FALSE(ended.stopped());
  EXPECT_EQ(TextOf(stopped.report()), TextOf(ended.report()));
  EXPECT_FALSE(ended.report().findings().empty());
}

TEST_F(StoppedAnalysis, BeforeTheBeginningOfItsRangeHasNothingToReport) {
  const std::string directory = WriteLarge();
  const Analysis whole = Run(directory);
  const uint64_t length_ns = whole.timeline().end_ns() - whole.timeline().start_ns();
  AnalysisOptions options{.range = {.from_ns = length_ns - 1'000'000}, .threads = 1};
  options.stop_asked = [] { return true; };
  const auto stopped = Analysis::Run(directory, options);
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
  EXPECT_THAT(stopped.status().message(), HasSubstr("stopped before"));
}

TEST_F(StoppedAnalysis, ThatHasReadAllIsWholeButForPredictions) {
  const std::string directory = WriteFigure1(300);
  const AnalysisOptions without;
  AnalysisOptions options{.predictions = FixOptions{.command = "gordian whatif figure1"}};
  options.stop_asked = [] { return true; };
  const Analysis stopped = Run(directory, options);
  EXPECT_TRUE(stopped.stopped());
  EXPECT_TRUE(TellsOfStop(stopped.report()));
  EXPECT_FALSE(stopped.report().recording().has_stopped());
  EXPECT_THAT(stopped.report().findings(0).no_prediction_because(),
              HasSubstr("the analysis was stopped; ask gordian whatif figure1 --async"));
  pb::Report report = stopped.report();
  for (pb::Finding& finding : *report.mutable_findings()) finding.clear_no_prediction_because();
  EXPECT_EQ(TextOf(report), TextOf(Run(directory, without).report()));
}

TEST_F(StoppedAnalysis, ThatCouldEndBeforeItNoticedIsNone) {
  const std::string directory = WriteFigure1(300);
  AnalysisOptions options;
  options.stop_asked = [] { return true; };
  const Analysis whole = Run(directory, options);
  EXPECT_FALSE(whole.stopped());
  EXPECT_EQ(whole.report().DebugString(), Run(directory).report().DebugString());
}

TEST_F(StoppedAnalysis, KeepsNothingInTheStore) {
  auto store = Store::Open({.folder = dir_ / "store", .keep_free_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  AnalysisOptions options{.threads = 1, .store = *store};
  options.stop_asked = [] { return true; };
  const Analysis part = Run(WriteLarge(), options);
  EXPECT_TRUE(part.report().recording().has_stopped());
  EXPECT_TRUE(part.KeepStages().ok());
  options.predictions = FixOptions{.command = "ask"};
  const Analysis without_predictions = Run(WriteFigure1(300), options);
  EXPECT_TRUE(without_predictions.stopped());
  EXPECT_TRUE(without_predictions.KeepStages().ok());
  EXPECT_THAT(store->List(), IsEmpty());
}

TEST_F(StoppedAnalysis, OfARecordingThatComesFromTheStoreIsOfTheWhole) {
  const std::string directory = WriteLarge();
  auto store = Store::Open({.folder = dir_ / "store", .keep_free_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  AnalysisOptions options{.threads = 1, .store = *store};
  const Analysis whole = Run(directory, options);
  ASSERT_TRUE(whole.KeepStages().ok());
  options.stop_asked = [] { return true; };
  options.early_looks.show = [](const EarlyLook&) { ADD_FAILURE() << "nothing is read"; };
  options.early_looks.is_worth_it = [](double) { return true; };
  const Analysis again = Run(directory, options);
  EXPECT_TRUE(again.is_from_store());
  EXPECT_FALSE(again.stopped());
  EXPECT_EQ(again.report().DebugString(), whole.report().DebugString());
}

// Reading asks once for each 524,288 events of all nodes.
TEST_F(StoppedAnalysis, OfManyNodesReportsWhatRecordingsThatEndedThenDo) {
  const std::string directory = dir_ / "nodes";
  ASSERT_TRUE(GenerateCluster(
                  {.events = 1'300'000, .clocks = {{}, {.skew_ns = 7'000'000, .bound_ns = 1'000}}},
                  directory)
                  .ok());
  AnalysisOptions options{.threads = 1};
  options.early_looks.show = [](const EarlyLook&) { ADD_FAILURE() << "it is stopped"; };
  options.early_looks.is_worth_it = [](double) { return true; };
  options.stop_asked = [] { return true; };
  const Analysis stopped = Run(directory, options);
  EXPECT_TRUE(stopped.stopped());
  EXPECT_TRUE(TellsOfStop(stopped.report()));
  const pb::RecordingSummary& recording = stopped.report().recording();
  ASSERT_TRUE(recording.has_stopped());
  EXPECT_EQ(recording.stopped().read_s(), recording.seconds());
  EXPECT_LT(recording.stopped().read_s(), recording.stopped().recorded_s());
  EXPECT_EQ(recording.nodes_size(), 3);

  std::filesystem::create_directory(dir_ / "ended");
  for (const JoinedNode& node : stopped.nodes()->nodes)
    WriteUntil(node.read_until_ns, directory + "/" + node.name, dir_ / ("ended/" + node.name));
  const Analysis ended = Run(dir_ / "ended", {.threads = 2});
  EXPECT_FALSE(ended.stopped());
  EXPECT_EQ(TextOf(stopped.report()), TextOf(ended.report()));
  EXPECT_FALSE(ended.report().findings().empty());
}

class EarlyLooksAt : public StoppedAnalysis {
 protected:
  // Looks at shares of the recording as if reading came so far.
  void ReadTo(const std::vector<double>& shares) { ReadTo(shares, WriteFigure1(300)); }
  void ReadTo(const std::vector<double>& shares, const std::string& directory) {
    const Analysis whole = Run(directory);
    const auto length_ns =
        static_cast<double>(whole.timeline().end_ns() - whole.timeline().start_ns());
    options_.early_looks.show = [this](const EarlyLook& look) {
      shares_.push_back(look.share);
      reports_.push_back(look.report);
    };
    options_.early_looks.is_worth_it = [this](double share) { return share >= worth_from_; };
    EarlyLooks looks(directory, options_);
    for (const double share : shares) {
      const uint64_t until_ns =
          whole.timeline().start_ns() + static_cast<uint64_t>(share * length_ns);
      times_ns_.push_back(until_ns);
      looks.At({.until_ns = until_ns, .share = share});
    }
  }

  AnalysisOptions options_;
  double worth_from_ = 0;
  std::vector<uint64_t> times_ns_;
  std::vector<double> shares_;
  std::vector<pb::Report> reports_;
};

TEST_F(EarlyLooksAt, GrowingSharesCostLittleTogether) {
  ReadTo({0.004, 0.02, 0.03, 0.059, 0.07, 0.1, 0.3, 0.9});
  EXPECT_THAT(shares_, ElementsAre(0.02, 0.07));
}

TEST_F(EarlyLooksAt, AnyShareReportWhatARecordingThatEndedThenDoes) {
  ReadTo({0.01, 0.031, 0.1});
  ASSERT_THAT(reports_, SizeIs(3));
  for (size_t i = 0; i < reports_.size(); ++i) {
    const std::string ended = dir_ / ("ended" + std::to_string(i));
    WriteUntil(times_ns_[i], dir_ / "figure1", ended);
    EXPECT_EQ(TextOf(reports_[i]), TextOf(Run(ended).report()));
    EXPECT_FALSE(reports_[i].findings().empty());
  }
}

TEST_F(EarlyLooksAt, ManyNodesReportWhatRecordingsThatEndedThenDo) {
  const std::string nodes = dir_ / "nodes";
  ASSERT_TRUE(GenerateCluster({.events = 30'000, .events_per_block = 100}, nodes).ok());
  ReadTo({0.1}, nodes);
  ASSERT_THAT(reports_, SizeIs(1));
  EXPECT_EQ(reports_[0].recording().nodes_size(), 3);
  std::filesystem::create_directory(dir_ / "ended");
  for (const char* node : {"/n0", "/n1", "/n2"})
    WriteUntil(times_ns_[0], nodes + node, dir_ / "ended" + node);
  EXPECT_EQ(TextOf(reports_[0]), TextOf(Run(dir_ / "ended").report()));
}

TEST_F(EarlyLooksAt, ARecordingThatIsInTheStoreAreOfItsBeginning) {
  auto store = Store::Open({.folder = dir_ / "store", .keep_free_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  options_.store = *store;
  const std::string directory = WriteFigure1(300);
  ASSERT_TRUE(Run(directory, options_).KeepStages().ok());
  const size_t kept = store->List().size();
  EXPECT_GT(kept, 0u);
  ReadTo({0.1}, directory);
  ASSERT_THAT(reports_, SizeIs(1));
  EXPECT_TRUE(reports_[0].recording().has_stopped());
  EXPECT_EQ(store->List().size(), kept);
}

TEST_F(EarlyLooksAt, ALargeShareThatComesFirstAreNone) {
  ReadTo({0.2, 0.4, 0.9});
  EXPECT_THAT(shares_, IsEmpty());
}

TEST_F(EarlyLooksAt, ARecordingThatIsSoonReadAreNone) {
  worth_from_ = 1;
  ReadTo({0.01, 0.03, 0.1});
  EXPECT_THAT(shares_, IsEmpty());
}

TEST_F(EarlyLooksAt, AStoppedReadingAreNone) {
  options_.stop_asked = [] { return true; };
  ReadTo({0.01, 0.03, 0.1});
  EXPECT_THAT(shares_, IsEmpty());
}

TEST_F(EarlyLooksAt, ARecordingChangeNothingInItsReport) {
  const std::string directory = WriteLarge();
  AnalysisOptions options{.predictions = FixOptions{.command = "ask"}, .threads = 1};
  const std::string without = Run(directory, options).report().DebugString();
  options.early_looks.show = [](const EarlyLook&) {};
  options.early_looks.is_worth_it = [](double) { return true; };
  EXPECT_EQ(Run(directory, options).report().DebugString(), without);
}

}  // namespace
}  // namespace gordian
