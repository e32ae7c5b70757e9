// SPDX-License-Identifier: Apache-2.0
// Participation by many ranks is that of one process, to the last byte.
#include "mpi/rank_participation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mpi/test_ranks.h"
#include "output/critical_flame.h"
#include "output/message_json.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<ParticipationBy> kAllRows = {
    ParticipationBy::kActivity, ParticipationBy::kThread,   ParticipationBy::kVertex,
    ParticipationBy::kOperator, ParticipationBy::kFunction, ParticipationBy::kLink,
    ParticipationBy::kPhase};

ParticipationRequest WindowsOf(uint64_t window_ns) {
  ParticipationRequest request;
  request.window_ns = window_ns;
  request.by = kAllRows;
  return request;
}

std::string TextOf(const RecordingParticipation& told) {
  std::string text;
  for (const pb::Participation& answer : told.answers)
    text += MessageJson(answer, JsonShape::kPretty);
  return text + CriticalFlame(told.stacks, told.code, FlameFormat::kFolded, "recording",
                              told.recorded_seconds);
}

class ParticipationByRanks : public AskedRanks {
 protected:
  std::string Expected(const ParticipationRequest& request,
                       const AnalysisOptions& options = {}) const {
    const auto told = ParticipationOfRecording(recording_, request, options, true);
    EXPECT_TRUE(told.ok()) << told.status();
    return told.ok() ? TextOf(*told) : "";
  }

  std::pair<std::string, TestRanksOutcome> Told(const TestRanks& way,
                                                const ParticipationRequest& request,
                                                const AnalysisOptions& options = {}) const {
    std::string text;
    auto outcome = Ask(
        way,
        [&](const RankWork& work) {
          const auto told = ParticipationOnRanks(work, request, RequestOf(options).analysis, true);
          if (told.ok()) text = TextOf(*told);
          return told.status();
        },
        options);
    return {text, std::move(outcome)};
  }
};

TEST_F(ParticipationByRanks, IsThatOfOneProcess) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const auto seed = static_cast<uint32_t>(ranks);
    const int nodes = 1 + ranks % 5;
    ranks % 2 == 0 ? GenerateSimulated(seed, nodes + 1) : GenerateCluster(seed, nodes);
    const ParticipationRequest request = WindowsOf(1'000'000);
    const std::string expected = Expected(request);
    EXPECT_THAT(expected, HasSubstr("\"cp\""));
    const auto [told, outcome] = Told({.ranks = ranks, .seed = 100 + seed}, request);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(told == expected) << ranks;
    EXPECT_GT(outcome.Count(" made windows"), 1u);
  }
}

TEST_F(ParticipationByRanks, IsItForAllOptions) {
  GenerateSimulated(3);
  std::vector<std::pair<ParticipationRequest, AnalysisOptions>> questions(5);
  questions[0].first = WindowsOf(0);
  questions[1].first = WindowsOf(3'000'000);
  questions[1].first.from_ns = 2'000'000;
  questions[1].first.to_ns = 9'000'000;
  questions[2].first.between = ClockRange{1'000'000, 5'000'000};
  questions[3] = {WindowsOf(2'000'000), {.target = {.nodes = {"n0001"}}}};
  questions[4] = {WindowsOf(2'000'000), {.graph = {.assume_false_wakeups = true}}};
  for (size_t i = 0; i < questions.size(); ++i) {
    const auto& [request, options] = questions[i];
    const auto [told, outcome] =
        Told({.ranks = 3, .seed = static_cast<uint32_t>(i + 1)}, request, options);
    ASSERT_TRUE(outcome.status.ok()) << i << ": " << outcome.status;
    EXPECT_TRUE(told == Expected(request, options)) << i;
  }
}

// Each rank sees its own node's recording, and no folder is shared: what programs said of phases is
// brought to rank 0.
TEST_F(ParticipationByRanks, GoesToTheData) {
  GeneratePhases();
  const ParticipationRequest request = WindowsOf(40'000'000);
  const std::string expected = Expected(request);
  EXPECT_THAT(expected, HasSubstr("Even"));
  const std::vector<std::string> machines = MoveToMachines();
  for (const bool is_reversed : {false, true}) {
    std::vector<std::string> directories = machines;
    if (is_reversed) std::reverse(directories.begin(), directories.end());
    const auto [told, outcome] =
        Told({.ranks = 2, .own_folders = true, .directories = directories}, request);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(told == expected) << is_reversed;
  }
}

TEST_F(ParticipationByRanks, FindsWindowsThatWereSweptBefore) {
  GenerateSimulated(6);
  const ParticipationRequest request = WindowsOf(1'000'000);
  const std::string expected = Expected(request);
  const size_t made = Told({.ranks = 2}, request).second.Count(" made windows");
  EXPECT_GT(made, 2u);
  const auto [told, again] = Told({.ranks = 3, .seed = 3}, request);
  EXPECT_EQ(again.Count(" found windows"), made);
  EXPECT_TRUE(told == expected);
  // Another target is another question.
  const auto other = Told({.ranks = 2}, request, {.target = {.nodes = {"n0001"}}}).second;
  EXPECT_EQ(other.Count(" found windows"), 0u);
}

TEST_F(ParticipationByRanks, SaysThatARangeHoldsNoTime) {
  GenerateSimulated(7);
  ParticipationRequest request;
  request.from_ns = 5;
  request.to_ns = 5;
  const auto outcome = Told({.ranks = 2}, request).second;
  EXPECT_EQ(outcome.status, ParticipationOfRecording(recording_, request, {}).status());
}

}  // namespace
}  // namespace gordian::testing
