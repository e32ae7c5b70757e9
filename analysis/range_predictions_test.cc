// SPDX-License-Identifier: Apache-2.0
// Predictions of a part of a recording are those of a recording that was cut to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/time_units.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "whatif/testing/test_traces.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using testing::operator""_ms;
using testing::operator""_us;
using ::testing::HasSubstr;

constexpr uint64_t kPauseNs = 500'000'000;

// Every 5 ms a timer wakes source, which wakes worker for 3 ms; in the middle the recording paused.
TraceBuilder PausedTrace() {
  constexpr int32_t kSource = 11, kWorker = 12;
  constexpr uint64_t kStartNs = 1'000'000'000;
  TraceBuilder t;
  t.Origin(kStartNs);
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kSource, "source").Thread(kWorker, "worker");
  t.At(0);
  for (uint64_t i = 0; i < 400; ++i) {
    const uint64_t begin_ns = (i + 1) * 5_ms + (i >= 200 ? kPauseNs : 0);
    t.At(begin_ns).Cpu(0).WakeFromTimer(kSource).Run(kSource);
    t.At(begin_ns + 100_us).Wake(kWorker).Block();
    t.Cpu(1).Run(kWorker).At(begin_ns + 3_ms).Block();
  }
  pb::Pause& pause = *t.session().add_pauses();
  pause.set_from_ns(kStartNs + 200 * 5_ms + 4_ms);
  pause.set_to_ns(kStartNs + 200 * 5_ms + kPauseNs + 4_ms);
  return t;
}

struct Question {
  std::string name;
  TraceBuilder trace;
  WhatIfRequest request;
};

std::vector<Question> Questions() {
  return {
      {"figure1", testing::Figure1Trace(200), {{{"async", "B->disk vda"}}, "wakes A"}},
      {"pipeline", testing::PipelineTrace(200), {{{"run", "compressor=0.5"}}, "wakes producer"}},
      {"network", testing::ClosedNetworkTrace(200), {{{"scale", "vda=0.5"}, {"cpus", "2"}}, "io"}},
      {"hogs", testing::StarvedTrace(50), {{{"cpus", "4"}}, ""}},
      {"pool", testing::PoolTrace(600), {{{"add-thread", "worker"}}, "wakes worker"}},
      {"service", testing::ServiceTrace(400), {{{"in-flight", "asker=4"}}, "wakes asker"}},
      {"paused", PausedTrace(), {{{"timer", "source=0.5"}}, "wakes worker"}},
  };
}

class RangePredictions : public ::testing::Test {
 protected:
  std::string Write(TraceBuilder trace, const std::string& name) {
    EXPECT_TRUE(trace.WriteSession(dir_ / name).ok());
    return dir_ / name;
  }
  static Analysis Analyze(LoadedRecording recording, const RangeOptions& range = {}) {
    auto analysis = Analysis::Run(std::move(recording),
                                  {.range = range, .predictions = FixOptions{.command = "ask"}});
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    return *std::move(analysis);
  }
  static LoadedRecording Read(const std::string& directory) {
    auto recording = ReadRecording(directory, {.threads = 1});
    EXPECT_TRUE(recording.ok()) << recording.status();
    return *std::move(recording);
  }

  const TempDir dir_;
};

// The ranges cut waits, work and disk requests at both ends, and lie over a pause, or beside it.
TEST_F(RangePredictions, AreThoseOfARecordingCutToTheRange) {
  constexpr RangeOptions kRanges[] = {{123'456'789, 900'123'456},
                                      {0, 501'500'000},
                                      {998'100'000, std::numeric_limits<uint64_t>::max()},
                                      {301'000'001, 700'000'000}};
  for (Question& question : Questions()) {
    const std::string directory = Write(std::move(question.trace), question.name);
    for (const RangeOptions& range : kRanges) {
      SCOPED_TRACE(question.name + " from " + std::to_string(range.from_ns));
      const Analysis of_range = Analyze(Read(directory), range);
      const TimeRange& times = of_range.range();
      LoadedRecording cut = RecordingOf(of_range.timeline().Excerpt(times.from_ns, times.to_ns));
      cut.directories = {directory};
      const Analysis of_cut = Analyze(std::move(cut));
      const auto answer = of_range.Ask(question.request);
      const auto expected = of_cut.Ask(question.request);
      ASSERT_EQ(answer.status(), expected.status());
      if (!answer.ok()) continue;
      EXPECT_EQ(answer->SerializeAsString(), expected->SerializeAsString());
      EXPECT_LT(answer->self_check(), 0.05);
      EXPECT_NEAR(answer->recording().seconds(), SecondsOf(times.length_ns()), 1e-9);
    }
  }
}

TEST_F(RangePredictions, OfAFindingAreWhatItsCommandAnswers) {
  const std::string directory = Write(testing::Figure1Trace(300), "figure1");
  const RangeOptions range = {777'000'000, 2'345'678'000};
  const Analysis analysis = Analyze(Read(directory), range);
  const pb::Finding& first = analysis.report().findings(0);
  ASSERT_EQ(first.predictions_size(), 1) << first.no_prediction_because();
  const pb::Prediction& prediction = first.predictions(0);
  EXPECT_EQ(prediction.change(), "--async 'B->disk vda'");
  EXPECT_NEAR(prediction.expected(), 2, 0.05);
  EXPECT_NEAR(prediction.replayed_s(), 1.568678, 1e-6);
  const auto asked = analysis.Ask({.changes = {{"async", "B->disk vda"}}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->low(), prediction.low());
  EXPECT_EQ(asked->high(), prediction.high());
  EXPECT_EQ(asked->expected(), prediction.expected());
  EXPECT_EQ(asked->trust(), prediction.trust());
}

// First the disk takes 5 of 6 ms, then 1 of 2.
TEST_F(RangePredictions, AreAboutTheirRange) {
  const std::string directory = Write(testing::ChangingTrace(400), "changing");
  const WhatIfRequest free_disk = {.changes = {{"scale", "vda=0"}}, .progress = "io"};
  const auto first = Analyze(Read(directory), {.to_ns = 1'200'000'000}).Ask(free_disk);
  const auto last = Analyze(Read(directory), {.from_ns = 1'200'000'000}).Ask(free_disk);
  ASSERT_TRUE(first.ok() && last.ok());
  EXPECT_NEAR(first->wait_alone().gain(), 6, 0.2);
  EXPECT_NEAR(last->wait_alone().gain(), 2, 0.05);
}

TEST_F(RangePredictions, AreNotMadeWhereTooLittleHappens) {
  const std::string directory = Write(testing::Figure1Trace(200), "figure1");
  const Analysis analysis =
      Analyze(Read(directory), {.from_ns = 103'000'000, .to_ns = 124'000'000});
  const auto answer = analysis.Ask({.changes = {{"async", "B->disk vda"}}, .progress = "wakes A"});
  EXPECT_TRUE(absl::IsFailedPrecondition(answer.status())) << answer.status();
  EXPECT_THAT(answer.status().message(), HasSubstr("only 2"));
}

TEST_F(RangePredictions, OfAnEmptyRangeThereAreNone) {
  const std::string directory = Write(testing::Figure1Trace(20), "figure1");
  for (const RangeOptions& range :
       {RangeOptions{5'000'000, 5'000'000}, RangeOptions{60'000'000'000, 70'000'000'000}}) {
    const auto analysis = Analysis::Run(directory, {.range = range});
    EXPECT_TRUE(absl::IsOutOfRange(analysis.status())) << analysis.status();
  }
}

}  // namespace
}  // namespace gordian
