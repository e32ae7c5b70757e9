// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_participation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/participation_of.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

// A runs from 0 to 2 ms, waits until 8 ms for B, runs until 10 ms. B runs all the time: in `First`
// until 2 ms, in `Work` until 8 ms, in `After` from then on. It says that it is in phase
// `serialize` from 6 to 8 ms. So the path to A's end is on B until 8 ms, and on A from then on.
class RecordedWaitForB : public ::testing::Test {
 protected:
  RecordedWaitForB() {
    TraceBuilder t;
    t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
    const uint32_t first = t.AddStack({}, {{.function = "First"}, {.function = "main"}});
    const uint32_t work = t.AddStack({}, {{.function = "Work"}, {.function = "main"}});
    const uint32_t after = t.AddStack({}, {{.function = "After"}, {.function = "main"}});
    const auto sample = [&](uint64_t at_ns, uint32_t stack) {
      t.At(at_ns).Cpu(1).AddStackSample(2, StackMoment::kCpu, stack);
    };
    sample(1_ms, first);
    t.At(2_ms).Cpu(0).Block();
    sample(3_ms, work);
    sample(5_ms, work);
    t.At(6_ms).Cpu(kNoCpu).PhaseBegin(2, "serialize", "");
    t.At(8_ms).Cpu(kNoCpu).Probe(2, ProbeKind::kPhaseEnd, "serialize");
    t.At(8_ms).Cpu(1).Wake(1);
    t.At(8_ms + 1).Cpu(0).Run(1);
    sample(9_ms, after);
    t.At(10_ms).Cpu(0).Block().Cpu(1).Block();
    EXPECT_TRUE(t.WriteSession(dir_ / "trace").ok());
  }

  std::map<std::string, double> SharesBy(ParticipationBy by) const {
    const auto answers = ParticipationOf(dir_ / "trace", {.by = {by}}, OfA());
    EXPECT_TRUE(answers.ok()) << answers.status();
    std::map<std::string, double> shares;
    if (!answers.ok()) return shares;
    for (const pb::ParticipationRow& row : answers->front().windows(0).rows())
      shares[row.name()] = row.cp();
    return shares;
  }
  static AnalysisOptions OfA() { return {.target = {.comms = {"A"}}}; }

  const TempDir dir_;
};

TEST_F(RecordedWaitForB, SharesRunsOutByTheSamplesThatPathsWereOn) {
  const auto shares = SharesBy(ParticipationBy::kFunction);
  ASSERT_EQ(shares.count("First") + shares.count("Work"), 2u);
  EXPECT_NEAR(shares.at("First"), 0.2, 0.001)
      << "of B's 6 ms outside of phases, one sample of three";
  EXPECT_NEAR(shares.at("Work"), 0.4, 0.001);
  EXPECT_EQ(shares.count("After"), 0u) << "nobody waited for it";
  EXPECT_NEAR(shares.at("[not sampled]"), 0.4, 0.001);
}

TEST_F(RecordedWaitForB, TellsPhasesThatThreadsSay) {
  const auto phases = SharesBy(ParticipationBy::kPhase);
  EXPECT_NEAR(phases.at("serialize"), 0.2, 0.001);
  EXPECT_NEAR(phases.at(""), 0.8, 0.001);
  EXPECT_NEAR(SharesBy(ParticipationBy::kActivity).at("Serialization"), 0.2, 0.001);
  EXPECT_NEAR(SharesBy(ParticipationBy::kOperator).at("serialize"), 0.2, 0.001);
  EXPECT_NEAR(SharesBy(ParticipationBy::kOperator).at("Work"), 0.4, 0.001);
}

TEST_F(RecordedWaitForB, GivesStacksForTheTimeThatThePathRuns) {
  const auto asked = ParticipationOfRecording(dir_ / "trace", {}, OfA(), true);
  ASSERT_TRUE(asked.ok()) << asked.status();
  double seconds = 0;
  for (const WeightedStack& stack : asked->stacks) {
    seconds += stack.seconds;
    EXPECT_EQ(stack.waits_for, "");
  }
  EXPECT_NEAR(seconds, 0.01, 0.0001);
  EXPECT_NEAR(asked->recorded_seconds, 0.01, 0.0001);
}

TEST_F(RecordedWaitForB, RefusesARangeWithoutTime) {
  for (const ParticipationRequest& request :
       {ParticipationRequest{.from_ns = 5, .to_ns = 5},
        ParticipationRequest{.between = ClockRange{20'000'000, 30'000'000}}}) {
    const auto answers = ParticipationOf(dir_ / "trace", request, OfA());
    EXPECT_EQ(answers.status().code(), absl::StatusCode::kInvalidArgument) << answers.status();
  }
}

}  // namespace
}  // namespace gordian::testing
