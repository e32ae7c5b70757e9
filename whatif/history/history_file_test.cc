// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "whatif/history/history.h"
#include "whatif/history/thresholds.h"

namespace gordian {
namespace {

using gordian::testing::TempDir;
using ::testing::HasSubstr;

pb::PredictionScore Numbered(double measured) {
  pb::PredictionScore score;
  score.set_version(1);
  score.set_change("no sync");
  score.set_low(1);
  score.set_expected(2);
  score.set_high(3);
  score.set_measured(measured);
  return score;
}

TEST(HistoryFile, IsMadeWithItsFolder) {
  const TempDir dir;
  const std::string file = dir / "state/gordian/predictions.jsonl";
  EXPECT_EQ(ReadHistory(file)->predictions_size(), 0);
  ASSERT_TRUE(AddToHistory(file, Numbered(2)).ok());
  ASSERT_TRUE(AddToHistory(file, Numbered(4)).ok());
  const auto history = ReadHistory(file);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->predictions_size(), 2);
  EXPECT_EQ(history->predictions(1).measured(), 4);
  EXPECT_EQ(history->record().held(), 1u);
  struct stat status = {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(HistoryFile, CountsWhatIsNoScore) {
  const TempDir dir;
  const std::string file = dir / "predictions.jsonl";
  std::ofstream(file) << "rubbish\n{\"version\":9}\n\n" << std::string(50'000, 'x') << "\n{\"ver";
  ASSERT_TRUE(AddToHistory(file, Numbered(2)).ok());
  const auto history = ReadHistory(file);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->predictions_size(), 1);
  EXPECT_EQ(history->unreadable(), 4u);
}

TEST(HistoryFile, DropsTheOldestOnceItIsLarge) {
  const TempDir dir;
  const std::string file = dir / "predictions.jsonl";
  const size_t line = LineOfScore(Numbered(2)).size() + 1;
  {
    std::ofstream full(file);
    for (size_t i = 0; (i + 1) * line <= kMostHistoryBytes; ++i)
      full << LineOfScore(Numbered(2)) << "\n";
  }
  ASSERT_TRUE(AddToHistory(file, Numbered(3)).ok());
  EXPECT_LE(std::filesystem::file_size(file), kMostHistoryBytes / 2 + line);
  const auto history = ReadHistory(file);
  ASSERT_TRUE(history.ok());
  EXPECT_GT(history->predictions_size(), 100);
  EXPECT_EQ(history->unreadable(), 0u);
  EXPECT_EQ(history->predictions(history->predictions_size() - 1).measured(), 3);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(HistoryFile, TakesNoMoreMemoryThanItMayBeLarge) {
  const TempDir dir;
  const std::string file = dir / "predictions.jsonl";
  std::ofstream(file) << LineOfScore(Numbered(2)) << "\n";
  std::filesystem::resize_file(file, 1ULL << 40);  // a hole
  const auto history = ReadHistory(file);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->predictions_size(), 0);
}

TEST(HistoryFile, MustBeAPlainFile) {
  const TempDir dir;
  EXPECT_THAT(ReadHistory(dir.path()).status().message(), HasSubstr("no plain file"));
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ReadHistory(pipe).status().message(), HasSubstr("no plain file"));
  EXPECT_THAT(AddToHistory(pipe, Numbered(2)).message(), HasSubstr("no plain file"));
}

// Eight processes fill it beyond its size at once: each line is whole.
TEST(HistoryFile, IsWrittenByManyAtOnce) {
  const TempDir dir;
  const std::string file = dir / "predictions.jsonl";
  constexpr int kWriters = 8;
  constexpr int kLinesOfEach = 400;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child > 0) continue;
    pb::PredictionScore score = Numbered(writer + 1);
    score.set_change(std::string(200, 'c'));
    for (int i = 0; i < kLinesOfEach; ++i)
      if (!AddToHistory(file, score).ok()) _exit(1);
    _exit(0);
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    int result = 1;
    ASSERT_GT(wait(&result), 0);
    EXPECT_EQ(result, 0);
  }
  const auto history = ReadHistory(file);
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->unreadable(), 0u);
  EXPECT_GT(history->predictions_size(), 100);
  EXPECT_LE(std::filesystem::file_size(file), kMostHistoryBytes);
}

TEST(HistoryFile, LiesInTheStateFolder) {
  setenv("XDG_STATE_HOME", "/somewhere", 1);
  EXPECT_EQ(DefaultHistoryFile(), "/somewhere/gordian/predictions.jsonl");
  setenv("XDG_STATE_HOME", "not/absolute", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(DefaultHistoryFile(), "/home/me/.local/state/gordian/predictions.jsonl");
  unsetenv("HOME");
  EXPECT_EQ(DefaultHistoryFile(), "");
}

}  // namespace
}  // namespace gordian
