// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SessionTexts;
using testing::TempDir;
using testing::WriteFile;

constexpr const char* kSmallTrace =
    "0,-1,thread,10,10,A\n"
    "5,0,switch,0,10,R\n"
    "9,-1,net_send,10,100\n";

absl::StatusOr<ImportResult> Import(const std::string& file, const std::string& directory) {
  return ImportCsv({.file = file, .directory = directory, .recorder_version = "1.2.3"});
}

TEST(Import, MakesASessionLikeARecordedOne) {
  const TempDir dir;
  const auto result = Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "trace");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->lines, 3u);
  EXPECT_EQ(result->events, 3u);
  EXPECT_THAT(SessionTexts(dir / "trace"),
              ElementsAre("0 nocpu task alive tid=10 comm=\"A\" tgid=10 namespaced_tid=10",
                          "5 cpu0 switch next_tid=10", "9 nocpu net_send bytes=100 tid=10"));
  const auto session = SessionReader::Open(dir / "trace");
  ASSERT_TRUE(session.ok()) << session.status();
  const pb::Session& about = (*session)->session();
  EXPECT_EQ(about.backend(), "import");
  EXPECT_EQ(about.name(), "trace");
  EXPECT_EQ(about.recorder_version(), "1.2.3");
  EXPECT_TRUE(about.complete());
  EXPECT_EQ(result->bytes_on_disk, (*session)->bytes_on_disk());
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv", "trace"));
}

TEST(Import, FillsAnEmptyFolder) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "trace");
  ASSERT_TRUE(Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "trace/").ok());
  EXPECT_EQ(SessionTexts(dir / "trace").size(), 3u);
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv", "trace"));
}

TEST(Import, GivesTheFolderARecordingsPermissions) {
  const TempDir dir;
  ASSERT_TRUE(testing::TraceBuilder().WriteSession(dir / "recorded").ok());
  ASSERT_TRUE(Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "trace").ok());
  EXPECT_EQ(std::filesystem::status(dir / "trace").permissions(),
            std::filesystem::status(dir / "recorded").permissions());
}

TEST(Import, NamesFileAndLineOfAnErrorAndLeavesNothing) {
  const TempDir dir;
  const std::string file =
      WriteFile(dir / "a.csv", std::string(kSmallTrace) + "8,0,net_send,10,1\n");
  EXPECT_EQ(Import(file, dir / "trace").status(),
            absl::InvalidArgumentError(
                file + ":4: time 8 is before the line above (9); sort the file by time"));
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv"));
}

TEST(Import, LeavesNothingWhereBlocksWereWrittenBeforeTheError) {
  const TempDir dir;
  std::string contents;
  for (int i = 0; i < 100'000; ++i) contents += std::to_string(i) + ",0,net_send,10,100\n";
  const std::string file = WriteFile(dir / "a.csv", contents + "end\n");
  EXPECT_THAT(std::string(Import(file, dir / "trace").status().message()),
              HasSubstr("a.csv:100001: expected time_ns,cpu,kind,arguments"));
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv"));
}

TEST(Import, LeavesAnEmptyFolderAsItWasAfterAnError) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "trace");
  EXPECT_FALSE(Import(WriteFile(dir / "a.csv", "bad\n"), dir / "trace").ok());
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv", "trace"));
  EXPECT_TRUE(std::filesystem::is_empty(dir / "trace"));
}

TEST(Import, RefusesAFolderThatHoldsSomething) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "trace");
  WriteFile(dir / "trace/precious", "data");
  const auto result = Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "trace");
  EXPECT_TRUE(absl::IsAlreadyExists(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("choose another -o"));
  EXPECT_EQ(testing::ReadFile(dir / "trace/precious"), "data");
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv", "trace"));
}

TEST(Import, RefusesAFileInTheFoldersPlace) {
  const TempDir dir;
  WriteFile(dir / "trace", "data");
  const auto result = Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "trace");
  EXPECT_TRUE(absl::IsAlreadyExists(result.status())) << result.status();
  EXPECT_EQ(testing::ReadFile(dir / "trace"), "data");
}

TEST(Import, TellsWhichFileIsMissing) {
  const TempDir dir;
  const auto result = Import(dir / "none.csv", dir / "trace");
  EXPECT_TRUE(absl::IsNotFound(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("none.csv"));
  EXPECT_THAT(dir.Entries(), ElementsAre());
}

TEST(Import, TellsThatTheParentFolderIsMissing) {
  const TempDir dir;
  const auto result = Import(WriteFile(dir / "a.csv", kSmallTrace), dir / "none/trace");
  EXPECT_TRUE(absl::IsNotFound(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(dir / "none"));
}

TEST(Import, RefusesAFolderAsInput) {
  const TempDir dir;
  const auto result = Import(dir.path(), dir / "trace");
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(absl::IsInvalidArgument(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("cannot be read"));
  EXPECT_THAT(dir.Entries(), ElementsAre());
}

TEST(Import, EndsWithoutTraceWhereItsCallerSaysSo) {
  const TempDir dir;
  std::string contents;
  for (int i = 0; i < 100'000; ++i) contents += std::to_string(i) + ",0,net_send,10,100\n";
  uint64_t file_bytes = 0;
  const auto result = ImportCsv({.file = WriteFile(dir / "a.csv", contents),
                                 .directory = dir / "trace",
                                 .progress = [&](const ImportProgress& progress) {
                                   file_bytes = progress.file_bytes;
                                   return absl::CancelledError("enough");
                                 }});
  EXPECT_EQ(result.status(), absl::CancelledError("enough"));
  EXPECT_EQ(file_bytes, contents.size());
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv"));
}

}  // namespace
}  // namespace gordian
