// SPDX-License-Identifier: Apache-2.0
// Slices, critical paths, answers in SQL and phases of a recording that ranks read are those of one
// process.
#include "mpi/rank_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mpi/test_ranks.h"
#include "output/message_json.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

std::string AnswerOf(QueryDatabase& database, const std::string& sql) {
  std::string answer;
  const absl::Status status = database.Run(
      sql, [](std::span<const std::string>) {},
      [&](std::span<const QueryCell> row) {
        for (const QueryCell& cell : row) {
          if (const auto* number = std::get_if<int64_t>(&cell)) answer += std::to_string(*number);
          if (const auto* text = std::get_if<std::string>(&cell)) answer += *text;
          answer += "|";
        }
        answer += "\n";
        return true;
      });
  EXPECT_TRUE(status.ok()) << sql << ": " << status;
  return answer;
}

// The last moments of the thread that lived longest.
const std::string kLast =
    "(SELECT id FROM thread ORDER BY end_ns DESC, id LIMIT 1), (SELECT max(end_ns) - 1000 FROM "
    "thread), 'backward', 'thread')";
const std::vector<std::string> kQuestions = {
    "SELECT thread, kind, count(*), sum(end_ns - begin_ns) FROM segment GROUP BY thread, kind",
    "SELECT * FROM edge ORDER BY from_thread, from_ns, to_thread, to_ns LIMIT 500",
    "SELECT * FROM critical_path",
    "SELECT * FROM wait_graph(0, 5000000)",
    "SELECT * FROM slice(" + kLast,
    "SELECT * FROM aggregate('node', " + kLast,
    "SELECT name, cp FROM participation(0, 3000000, 1000000, 'thread')",
};

class CausesByRanks : public AskedRanks {
 protected:
  TestRanksOutcome Slice(const TestRanks& way, const SliceQuestion& question,
                         std::string& told) const {
    return Ask(way, [&](const RankWork& work) {
      const auto slice = SliceOnRanks(work, question, RequestOf().analysis);
      if (slice.ok()) told = MessageJson(slice->told, JsonShape::kPretty);
      return slice.status();
    });
  }
};

TEST_F(CausesByRanks, SlicesAreThoseOfOneProcess) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const auto seed = static_cast<uint32_t>(ranks);
    GenerateSimulated(seed, 1 + ranks % 4);
    SliceQuestion question;
    question.thread = "gate-0";
    question.request.forward = ranks % 2 == 0;
    question.by = static_cast<SliceBy>(ranks % 6);
    question.request.scope = CausalScope::kThread;
    const auto alone = SliceOfRecording(recording_, question, {});
    ASSERT_TRUE(alone.ok()) << alone.status();
    std::string told;
    const auto outcome = Slice({.ranks = ranks, .seed = 100 + seed}, question, told);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(told == MessageJson(alone->told, JsonShape::kPretty)) << ranks;
    EXPECT_GT(alone->told.hops(), 0u);
  }
}

TEST_F(CausesByRanks, CriticalPathsAreThoseOfOneProcess) {
  for (const int ranks : {1, 3, 5}) {
    GenerateCluster(static_cast<uint32_t>(ranks));
    const auto alone = CriticalPathOfRecording(recording_, {}, {});
    ASSERT_TRUE(alone.ok()) << alone.status();
    std::string told;
    const auto outcome =
        Ask({.ranks = ranks, .seed = static_cast<uint32_t>(ranks)}, [&](const RankWork& work) {
          const auto path = CriticalPathOnRanks(work, {}, RequestOf().analysis);
          if (path.ok()) told = MessageJson(*path, JsonShape::kPretty);
          return path.status();
        });
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(told == MessageJson(*alone, JsonShape::kPretty)) << ranks;
  }
}

TEST_F(CausesByRanks, AThreadThatIsNotThereIsToldAsInOneProcess) {
  GenerateSimulated(2);
  SliceQuestion question;
  question.thread = "nobody";
  std::string told;
  const auto outcome = Slice({.ranks = 2}, question, told);
  EXPECT_EQ(outcome.status, SliceOfRecording(recording_, question, {}).status());
}

TEST_F(CausesByRanks, AnswersInSqlAreThoseOfOneProcess) {
  for (const int ranks : {1, 4}) {
    GenerateSimulated(static_cast<uint32_t>(ranks));
    const auto alone = Analysis::Run(recording_);
    ASSERT_TRUE(alone.ok()) << alone.status();
    const Analysis* const queried[] = {&*alone};
    auto database = QueryDatabase::Open(queried, {});
    ASSERT_TRUE(database.ok()) << database.status();
    std::vector<std::string> expected;
    for (const std::string& sql : kQuestions) expected.push_back(AnswerOf(*database, sql));
    std::vector<std::string> told;
    const auto outcome = Ask({.ranks = ranks, .seed = 5}, [&](const RankWork& work) {
      return QueryOnRanks(work, RequestOf().analysis, {}, [&](QueryDatabase& asked) {
        for (const std::string& sql : kQuestions) told.push_back(AnswerOf(asked, sql));
        return absl::OkStatus();
      });
    });
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    ASSERT_EQ(told.size(), expected.size());
    for (size_t i = 0; i < told.size(); ++i) EXPECT_TRUE(told[i] == expected[i]) << kQuestions[i];
    for (const std::string& answer : expected) EXPECT_FALSE(answer.empty());
  }
}

TEST(QuestionsAboutEvents, NeedTheRecordingAtRankZero) {
  EXPECT_TRUE(MayAskForEvents("SELECT count(*) FROM Event"));
  EXPECT_FALSE(MayAskForEvents("SELECT count(*) FROM segment"));
}

TEST_F(CausesByRanks, PhasesAreThoseOfOneProcess) {
  GeneratePhases();
  AnalysisOptions options;
  options.job.emplace();
  options.job->inputs.session_directory = recording_;
  const auto alone = Analysis::Run(recording_, options);
  ASSERT_TRUE(alone.ok()) << alone.status();
  const std::string expected = alone->report().SerializeAsString();
  EXPECT_THAT(expected, HasSubstr("Even"));
  const auto ask = [&](const TestRanks& way) {
    std::string told;
    const auto outcome = Ask(
        way,
        [&](const RankWork& work) {
          const auto analysis = PhasesOnRanks(work, RequestOf(options).analysis);
          if (analysis.ok()) told = analysis->report().SerializeAsString();
          return analysis.status();
        },
        options);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    return told;
  };
  for (const int ranks : {1, 2, 5}) EXPECT_TRUE(ask({.ranks = ranks, .seed = 3}) == expected);
  // Each rank sees its own node's recording, and no folder is shared.
  const std::vector<std::string> machines = MoveToMachines();
  EXPECT_TRUE(ask({.ranks = 2, .own_folders = true, .directories = machines}) == expected);
}

}  // namespace
}  // namespace gordian::testing
