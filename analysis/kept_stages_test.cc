// SPDX-License-Identifier: Apache-2.0
// An analysis with kept stages says what one without says.
#include "analysis/kept_stages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "tests/support/varying_trace.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

class KeptStagesTest : public ::testing::Test {
 protected:
  KeptStagesTest() : recording_(folder_ / "recording") {
    EXPECT_TRUE(testing::VaryingTrace({}).WriteSession(recording_, 100).ok());
    auto store = Store::Open({.folder = folder_ / "store", .keep_free_bytes = 0});
    EXPECT_TRUE(store.ok()) << store.status();
    if (store.ok()) store_ = *std::move(store);
  }

  Analysis Run(AnalysisOptions options) const {
    auto analysis = Analysis::Run(recording_, options);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    return *std::move(analysis);
  }
  Analysis RunWithStore(AnalysisOptions options = {}) const {
    options.store = store_;
    return Run(options);
  }
  std::vector<std::string> KeptNow() const {
    std::vector<std::string> stages;
    for (const KeptAnalysis& analysis : store_.List()) stages.push_back(analysis.key.stage);
    std::sort(stages.begin(), stages.end());
    return stages;
  }

  const TemporaryDirectory folder_;
  const std::string recording_;
  Store store_;
};

const std::vector<std::string> kBoth = {"sums", "timeline"};

TEST_F(KeptStagesTest, ServeAnalysesWithAnyOptions) {
  ASSERT_TRUE(RunWithStore().KeepStages().ok());
  ASSERT_EQ(KeptNow(), kBoth);
  const std::vector<std::function<void(AnalysisOptions&)>> changes = {
      [](AnalysisOptions&) {},
      [](AnalysisOptions& o) { o.target.comms = {"B"}; },
      [](AnalysisOptions& o) { o.graph.no_merge = true; },
      [](AnalysisOptions& o) { o.graph.assume_false_wakeups = true; },
      [](AnalysisOptions& o) { o.finding.threshold = 0.01; },
      [](AnalysisOptions& o) { o.range = {.from_ns = 100'000'000, .to_ns = 700'000'000}; },
      [](AnalysisOptions& o) { o.range = {.from_ns = 123'456'789, .to_ns = 123'456'999}; },
      [](AnalysisOptions& o) { o.predictions = FixOptions{.command = "gordian whatif x"}; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    AnalysisOptions options;
    changes[i](options);
    const Analysis with = RunWithStore(options);
    EXPECT_TRUE(with.is_from_store()) << i;
    EXPECT_EQ(with.Page().SerializeAsString(), Run(options).Page().SerializeAsString()) << i;
  }
}

TEST_F(KeptStagesTest, AreKeptOnDemandOnly) {
  RunWithStore();
  EXPECT_TRUE(KeptNow().empty());
  EXPECT_TRUE(Run({}).KeepStages().ok());
  EXPECT_TRUE(KeptNow().empty());
}

TEST_F(KeptStagesTest, AreNotKeptIfOptionsChangedTheTimeline) {
  AnalysisOptions joined;
  joined.graph.assume_false_wakeups = true;
  ASSERT_TRUE(RunWithStore(joined).KeepStages().ok());
  EXPECT_TRUE(KeptNow().empty());
}

TEST_F(KeptStagesTest, OfARangeAreTheTimelineAlone) {
  ASSERT_TRUE(RunWithStore({.range = {.from_ns = 1'000'000}}).KeepStages().ok());
  EXPECT_EQ(KeptNow(), std::vector<std::string>{"timeline"});
  const Analysis whole = RunWithStore();
  EXPECT_TRUE(whole.is_from_store());
  ASSERT_TRUE(whole.KeepStages().ok());
  EXPECT_EQ(KeptNow(), kBoth);
}

TEST_F(KeptStagesTest, AreOfNoOtherProgramAndOfNoOtherRecording) {
  const KeptStages own(store_, recording_, "one");
  const auto recording = ReadRecording(recording_, {});
  ASSERT_TRUE(recording.ok());
  ASSERT_TRUE(own.KeepRecording(*recording).ok());
  EXPECT_TRUE(KeptStages(store_, recording_, "one").FindRecording({}).has_value());
  EXPECT_FALSE(KeptStages(store_, recording_, "two").FindRecording({}).has_value());
  EXPECT_FALSE(KeptStages(store_, recording_, "").FindRecording({}).has_value());
  std::ofstream(recording_ + "/cpu-000.trace", std::ios::app) << "more";
  EXPECT_FALSE(KeptStages(store_, recording_, "one").FindRecording({}).has_value());
}

TEST_F(KeptStagesTest, AreNotKeptIfTheRecordingChangedMeanwhile) {
  const Analysis analysis = RunWithStore();
  std::ofstream(recording_ + "/cpu-000.trace", std::ios::app) << "more";
  ASSERT_TRUE(analysis.KeepStages().ok());
  EXPECT_TRUE(KeptNow().empty());
}

// Whatever byte of them is wrong.
TEST_F(KeptStagesTest, AreMadeAnewIfTheyAreDamaged) {
  const std::string expected = Run({}).Page().SerializeAsString();
  for (int part = 0; part < 20; ++part) {
    ASSERT_TRUE(RunWithStore().KeepStages().ok());
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "store")) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      const auto bytes = static_cast<int64_t>(entry.file_size());
      file.seekp(bytes * part / 20);
      const char wrong = static_cast<char>(file.peek() ^ 0x40);
      file.seekp(bytes * part / 20);
      file.put(wrong);
    }
    EXPECT_EQ(RunWithStore().Page().SerializeAsString(), expected) << part;
  }
}

}  // namespace
}  // namespace gordian
