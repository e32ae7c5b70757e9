// SPDX-License-Identifier: Apache-2.0
#include "participation/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RecordingQuality QualityOfScenario(const std::string& scenario, uint64_t from_ns, uint64_t to_ns) {
  const ScenarioTimeline recorded(scenario);
  const std::vector<uint8_t> all(recorded.timeline().thread_count(), 1);
  const auto with = [&](int threads) {
    return QualityOf(recorded.timeline(), all, ScenarioTimeline::At(from_ns),
                     ScenarioTimeline::At(to_ns), threads);
  };
  EXPECT_EQ(with(3), with(1));
  return with(1);
}

std::vector<std::string> NamesOf(const RecordingQuality& quality) {
  std::vector<std::string> names;
  for (const NamedCount& counter : CountersOf(quality)) names.emplace_back(counter.name);
  return names;
}

// A sleeps from 10 to 30, and no wake is there; B from 20 to 40, for A or for the disk.
std::string TwoWaits(const std::string& who_woke_b) {
  return "end 60\nthread 1 A R\nthread 2 B R\ndisk 8 vda\n0 0 switch 0 1\n0 1 switch 0 2\n"
         "10 0 switch 1 0 S\n20 1 switch 2 0 S\n30 0 switch 0 1\n40 0 wake 2 by " +
         who_woke_b + "\n40 1 switch 0 2\n";
}

TEST(Quality, TellsOfWaitsWithoutACause) {
  const RecordingQuality quality = QualityOfScenario(TwoWaits("1"), 0, 60);
  EXPECT_EQ(quality.waits, 2u);
  EXPECT_EQ(quality.waits_without_cause, 1u);
  EXPECT_EQ(quality.waits_without_cause_ns, 20u);
  EXPECT_EQ(quality.threads_ns, 120u);
  EXPECT_EQ(quality.stalls, 0u) << "B waits for A, which is known";
  EXPECT_THAT(NamesOf(quality), ElementsAre("target_waits_without_cause_ns"));
}

TEST(Quality, TellsWhenAllWaitAndNothingIsUnderWay) {
  const std::string both_unknown =
      "end 60\nthread 1 A R\nthread 2 B R\n0 0 switch 0 1\n0 1 switch 0 2\n10 0 switch 1 0 S\n"
      "20 1 switch 2 0 S\n30 0 switch 0 1\n40 1 switch 0 2\n";
  const RecordingQuality quality = QualityOfScenario(both_unknown, 0, 60);
  EXPECT_EQ(quality.stalls, 1u);
  EXPECT_EQ(quality.stalled_ns, 10u);
  EXPECT_EQ(quality.longest_stall_ns, 10u);
  EXPECT_THAT(NamesOf(quality), ElementsAre("target_waits_without_cause_ns", "target_stalled_ns"));
  EXPECT_EQ(QualityOfScenario(both_unknown, 25, 60).stalled_ns, 5u);
}

TEST(Quality, ARequestUnderWayIsNoStall) {
  EXPECT_EQ(QualityOfScenario(TwoWaits("disk 8"), 0, 60).stalls, 0u);
  const std::string unseen_completion =
      "end 60\nthread 1 A R\ndisk 8 vda\n0 0 switch 0 1\n5 0 issue 1 8 4096 5\n10 0 switch 1 0 D\n"
      "25 1 complete 8 5 20\n30 0 switch 0 1\n";
  EXPECT_EQ(QualityOfScenario(unseen_completion, 0, 60).stalled_ns, 5u) << "from 25 to 30";
}

TEST(Quality, OfIdleThreadsHasNothingToTell) {
  const std::string idle =
      "end 60\nthread 1 A R\nthread 2 B S\n0 0 switch 0 1\n10 0 switch 1 0 S\n";
  const RecordingQuality quality = QualityOfScenario(idle, 0, 60);
  EXPECT_EQ(quality.open_waits, 2u);
  EXPECT_EQ(quality.stalls, 0u);
  EXPECT_THAT(NamesOf(quality), IsEmpty());
}

TEST(Quality, OfNoTimeIsNothing) {
  EXPECT_EQ(QualityOfScenario(TwoWaits("1"), 10, 10).threads_ns, 0u);
}

}  // namespace
}  // namespace gordian
