// SPDX-License-Identifier: Apache-2.0
#include "import/line_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct ReadLines {
  std::vector<std::string> lines;
  absl::Status status;
  uint64_t last_number = 0;
};

ReadLines Read(const std::string& contents, LongLines long_lines = LongLines::kRefuse) {
  const testing::TempDir dir;
  const int fd = ::open(testing::WriteFile(dir / "lines", contents).c_str(), O_RDONLY);
  LineReader reader(fd, long_lines);
  ReadLines result;
  std::string_view line;
  while (reader.Next(line)) result.lines.emplace_back(line);
  result.status = reader.status();
  result.last_number = reader.line_number();
  ::close(fd);
  return result;
}

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  EXPECT_THAT(Read("a\nbc\r\n\nd\n").lines, ElementsAre("a", "bc", "", "d"));
}

TEST(LineReader, TakesALastLineWithoutEnd) {
  EXPECT_THAT(Read("a\nb").lines, ElementsAre("a", "b"));
}

TEST(LineReader, GivesNothingForAnEmptyFile) {
  const ReadLines result = Read("");
  EXPECT_THAT(result.lines, IsEmpty());
  EXPECT_TRUE(result.status.ok());
}

TEST(LineReader, KeepsLinesWholeAcrossReads) {
  // More than the reader takes in one go, and lines that do not divide it.
  std::string contents;
  std::vector<std::string> expected;
  for (int i = 0; i < 200'000; ++i) {
    expected.push_back("line number " + std::to_string(i));
    contents += expected.back() + "\n";
  }
  EXPECT_EQ(Read(contents).lines, expected);
}

TEST(LineReader, TakesTheLongestAllowedLine) {
  const std::string longest(LineReader::kMaxLineBytes, 'x');
  EXPECT_THAT(Read(longest + "\nb\n").lines, ElementsAre(longest, "b"));
}

TEST(LineReader, RefusesALineThatIsTooLong) {
  for (const char* end : {"\n", ""}) {
    const ReadLines result = Read("a\n" + std::string(LineReader::kMaxLineBytes + 1, 'x') + end);
    EXPECT_THAT(result.lines, ElementsAre("a"));
    EXPECT_TRUE(absl::IsInvalidArgument(result.status)) << result.status;
    EXPECT_EQ(result.last_number, 2u);
  }
}

TEST(LineReader, CutsALineThatIsTooLongWhereItIsAskedTo) {
  const std::string longest(LineReader::kMaxLineBytes, 'x');
  for (const size_t rest : {1, 1000, 100'000, 1'000'000}) {
    const ReadLines result =
        Read("a\n" + longest + std::string(rest, 'y') + "\nb", LongLines::kCut);
    EXPECT_THAT(result.lines, ElementsAre("a", longest, "b"));
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.last_number, 3u);
  }
}

TEST(LineReader, TellsThatAFolderCannotBeRead) {
  const testing::TempDir dir;
  const int fd = ::open(dir.path().c_str(), O_RDONLY);
  LineReader reader(fd);
  std::string_view line;
  EXPECT_FALSE(reader.Next(line));
  EXPECT_FALSE(reader.status().ok());
  EXPECT_FALSE(absl::IsInvalidArgument(reader.status()));
  ::close(fd);
}

}  // namespace
}  // namespace gordian
