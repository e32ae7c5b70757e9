// SPDX-License-Identifier: Apache-2.0
#include "participation/recorded_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

// A waits from 10 to 30 for B, in whose phase `barrier` it is from 20 on.
constexpr char kOneWaitsForOther[] = R"(
end 40
thread 1 A R
thread 2 B R
0 0 switch 0 1
0 1 switch 0 2
10 0 switch 1 0 S
30 1 wake 1 by 2
30 0 switch 0 1
)";

std::vector<std::string> ToldRows(const pb::ParticipationWindow& window) {
  std::vector<std::string> told;
  for (const pb::ParticipationRow& row : window.rows())
    told.push_back(absl::StrCat(row.name(), " ", std::round(1000 * row.cp()) / 10, "% ",
                                row.crossings(), row.workers() > 0 ? " by " : "",
                                row.workers() > 0 ? absl::StrCat(row.workers()) : ""));
  return told;
}

std::vector<std::string> RowsBy(ParticipationBy by) {
  const ScenarioTimeline recorded(kOneWaitsForOther);
  const std::vector<uint8_t> target = {1, 0};
  const std::vector<ThreadPhase> phases = {
      {recorded.Id("B"), ScenarioTimeline::At(20), ScenarioTimeline::At(40), 1}};
  const std::vector<RecordedActivity> activities = {RecordedActivity::kProcessing,
                                                    RecordedActivity::kBarrier};
  const RecordedGraph graph = {.timeline = recorded.timeline(),
                               .is_target = target,
                               .phases = phases,
                               .activity_of_phase = activities,
                               .keep_samples = true};
  const auto name = [&](EntityId id) { return recorded.timeline().entities()[id].name; };
  const RecordedRowNames names = {.thread = name,
                                  .vertex = [](EntityId) { return "both"; },
                                  .phase = [](uint32_t) { return "barrier"; },
                                  .function_of_stack = [](uint32_t) { return "f"; }};
  const std::vector<WindowParticipation> windows = {
      ParticipationWithin(graph, ScenarioTimeline::At(0), ScenarioTimeline::At(40))};
  return ToldRows(RowsOf(graph, windows, by, names).windows(0));
}

TEST(RecordedRows, AreLargestFirstAndTellWakesAsControlMessages) {
  EXPECT_THAT(RowsBy(ParticipationBy::kActivity),
              ElementsAre("Processing 75% 2", "Barrier 25% 1", "ControlMessage 0% 1"));
  EXPECT_THAT(RowsBy(ParticipationBy::kThread), ElementsAre("B 75% 2", "A 25% 1"));
  EXPECT_THAT(RowsBy(ParticipationBy::kVertex), ElementsAre("both 100% 3"));
  EXPECT_THAT(RowsBy(ParticipationBy::kLink), ElementsAre("both → both 0% 1"));
}

TEST(RecordedRows, ByPhaseAndOperatorTellWhatHasNone) {
  EXPECT_THAT(RowsBy(ParticipationBy::kPhase), ElementsAre(" 75% 2", "barrier 25% 1"));
  EXPECT_THAT(RowsBy(ParticipationBy::kOperator),
              ElementsAre("[not sampled] 75% 2 by 2", "barrier 25% 1 by 1"));
  EXPECT_THAT(RowsBy(ParticipationBy::kFunction), ElementsAre("[not sampled] 100% 3"));
}

TEST(RecordedRows, CountWindowsWithoutAPathAndThoseThatAreCutShort) {
  const ScenarioTimeline recorded(kOneWaitsForOther);
  const std::vector<uint8_t> target = {1, 0};
  const RecordedGraph graph = {.timeline = recorded.timeline(), .is_target = target};
  const std::vector<WindowParticipation> windows = {
      ParticipationWithin(graph, ScenarioTimeline::At(0), ScenarioTimeline::At(20)),
      ParticipationWithin(graph, ScenarioTimeline::At(20), ScenarioTimeline::At(25))};
  const pb::Participation told =
      RowsOf(graph, windows, ParticipationBy::kActivity, RecordedRowNames());
  EXPECT_EQ(told.windows(0).paths(), 1);
  EXPECT_EQ(told.windows(0).to_ns(), 20u);
  EXPECT_EQ(told.windows(0).paths_to_ns(), 10u);
  EXPECT_EQ(told.windows(1).rows_size(), 0);
  ASSERT_EQ(told.counters_size(), 2);
  EXPECT_EQ(told.counters(0).name(), "windows_without_path");
  EXPECT_EQ(told.counters(1).name(), "windows_cut_short");
}

}  // namespace
}  // namespace gordian
