// SPDX-License-Identifier: Apache-2.0
#include "loglines/log_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "loglines/test_three_nodes.h"

namespace gordian {
namespace {

using testing::ThreeNodes;

TEST(LogMarksOfFiles, StandWhereTheLinesWereWritten) {
  const ThreeNodes nodes;
  std::vector<LogInput> logs;
  for (const std::string& path : nodes.logs()) logs.push_back({.path = path});
  const auto marks = MarksOfLogs(nodes.recording(), logs, "");
  ASSERT_TRUE(marks.ok()) << marks.status();
  EXPECT_EQ(marks->files.size(), 3u);
  ASSERT_GT(marks->marks.size(), 3u);
  EXPECT_TRUE(marks->notes.empty());
  const Timeline& timeline = *nodes.recording().timeline;
  uint64_t before_ns = 0;
  for (const LogMark& mark : marks->marks) {
    EXPECT_GE(mark.from_ns, before_ns) << "by time";
    EXPECT_LE(mark.from_ns, timeline.end_ns() - timeline.start_ns());
    before_ns = mark.from_ns;
  }
}

TEST(LogMarksOfFiles, CountWhatLiesOutsideAndCleanWhatIsHostile) {
  const ThreeNodes nodes;
  const testing::TempDir dir;
  const std::string path = dir / "odd.log";
  std::ofstream(path) << nodes.StampAt(700'000'000) << " \x1b[31mred " << std::string(5000, 'x')
                      << "\nwithout a stamp\n"
                      << nodes.StampAt(3'600'000'000'000) << " an hour later\n";
  const auto marks = MarksOfLogs(nodes.recording(), {{{.path = path}, {.path = dir / "none"}}}, "");
  ASSERT_TRUE(marks.ok()) << marks.status();
  ASSERT_EQ(marks->marks.size(), 1u);
  EXPECT_EQ(marks->marks[0].line, 1u);
  EXPECT_EQ(marks->marks[0].text.find('\x1b'), std::string::npos);
  EXPECT_LE(marks->marks[0].text.size(), kMostMarkBytes + 16);
  EXPECT_EQ(marks->outside, 1u);
  EXPECT_EQ(marks->notes.size(), 1u) << "a file that is not there is told";
  EXPECT_FALSE(MarksOfLogs(nodes.recording(), {{{.path = dir / "none"}}}, "").ok());
}

TEST(LogMarksOfFiles, AreAsManyAsAPictureHasColumns) {
  LogMarks marks;
  for (uint64_t i = 0; i < 100; ++i)
    marks.marks.push_back({.from_ns = i, .to_ns = i + 1, .line = i});
  const auto columns = MarkColumns(marks, 10, 60, 5);
  ASSERT_EQ(columns.size(), 5u);
  EXPECT_EQ(columns[0].first->line, 10u);
  EXPECT_EQ(columns[4].lines, 10u);
  EXPECT_TRUE(MarkColumns(marks, 60, 60, 5).empty());
  EXPECT_TRUE(MarkColumns(marks, 200, 300, 5).empty());
}

}  // namespace
}  // namespace gordian
