// SPDX-License-Identifier: Apache-2.0
// Three nodes with a planted fault: a back end whose disk is slow once makes a front end give up.
#include "loglines/explain_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "loglines/test_three_nodes.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using testing::kFaultBeginsNs;
using testing::TempDir;
using testing::ThreeNodes;
using testing::WriteFile;
using testing::operator""_ms;
using testing::operator""_us;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> PlacesOf(
    const google::protobuf::RepeatedPtrField<pb::ExplainedLine>& lines) {
  std::vector<std::string> places;
  for (const pb::ExplainedLine& line : lines)
    places.push_back(absl::StrCat(std::filesystem::path(line.file()).filename().string(), ":",
                                  line.line(), " ", line.thread()));
  return places;
}

class ExplainLog : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { nodes_ = new ThreeNodes; }
  static void TearDownTestSuite() { delete nodes_; }

  pb::LogExplanation Explained(LogQuestion question) {
    auto told = ExplainLine(nodes_->recording(), question);
    EXPECT_TRUE(told.ok()) << told.status();
    return told.ok() ? *std::move(told) : pb::LogExplanation();
  }
  absl::Status FailureOf(const LogQuestion& question) {
    return ExplainLine(nodes_->recording(), question).status();
  }
  // The line that tells of the timeout.
  LogQuestion AboutTheTimeout() {
    LogQuestion question{.place = {.path = nodes_->front_log(), .match = "timed out"}};
    for (const std::string& path : nodes_->logs()) question.logs.push_back({path, ""});
    return question;
  }

  static ThreeNodes* nodes_;
  TempDir dir_;
};
ThreeNodes* ExplainLog::nodes_ = nullptr;

TEST_F(ExplainLog, TheSlowDiskOfTheBackEndIsFound) {
  const pb::LogExplanation told = Explained(AboutTheTimeout());
  EXPECT_THAT(told.answer(),
              StartsWith("Before this line, front/frontend/20 waited 300 ms in vain for "
                         "back/backend/30, which waited 299.6 ms for back/disk sda."));
  ASSERT_GE(told.writers_size(), 1);
  EXPECT_EQ(told.writers(0).thread(), "front/frontend/20");
  EXPECT_GT(told.writers(0).how_sure(), 0.9);
  ASSERT_GE(told.charges_size(), 1);
  EXPECT_EQ(told.charges(0).name(), "back/disk sda");
  EXPECT_EQ(told.charges(0).state(), "disk");
  uint64_t sum_ns = 0;
  for (const pb::TimeCharge& charge : told.charges()) sum_ns += charge.time_ns();
  EXPECT_EQ(sum_ns, told.at_ns() - told.since_ns());
}

TEST_F(ExplainLog, ItsWorkBeginsWithTheRequestOfTheClientThatWaits) {
  const pb::LogExplanation told = Explained(AboutTheTimeout());
  EXPECT_THAT(told.since_why(), HasSubstr("client/client/10 asked then"));
  EXPECT_NEAR(static_cast<double>(told.since_ns()), static_cast<double>(kFaultBeginsNs + 1300_us),
              100e3);
}

TEST_F(ExplainLog, LinesOfOtherProcessesWithinTheSliceAreToldByTime) {
  const pb::LogExplanation told = Explained(AboutTheTimeout());
  EXPECT_THAT(PlacesOf(told.lines()), ElementsAre("back.log:31 back/backend/30"));
  EXPECT_THAT(told.lines(0).text(), HasSubstr("writes the record"));
}

TEST_F(ExplainLog, RareWordsLeadToLinesThatTheSliceMissed) {
  const pb::LogExplanation told = Explained(AboutTheTimeout());
  ASSERT_GE(told.rare_words_size(), 1);
  std::vector<std::string> elsewhere = PlacesOf(told.elsewhere());
  // The back end's line after the timeout, and the client's about its error, name the request.
  EXPECT_THAT(elsewhere, Contains("back.log:32 "));
  EXPECT_THAT(elsewhere, Contains("client.log:32 "));
  EXPECT_THAT(elsewhere, Not(Contains("back.log:31 ")));
}

TEST_F(ExplainLog, ASecondResolvedStampIsLessSureButFindsTheSame) {
  LogQuestion question = AboutTheTimeout();
  question.place = {.path = nodes_->WriteCoarseFrontLog(dir_.path()), .match = "timed out"};
  question.node = "front";
  const pb::LogExplanation told = Explained(question);
  EXPECT_EQ(told.line().thread(), "front/frontend/20");
  EXPECT_THAT(told.answer(), HasSubstr("in vain for back/backend/30"));
  EXPECT_GE(told.line().to_ns() - told.line().from_ns(), 500'000'000u);
}

TEST_F(ExplainLog, AToldThreadAndMomentNeedNoStamp) {
  LogQuestion question;
  question.place = {.path = WriteFile(dir_ / "plain.log", "it failed\n"), .number = 1};
  EXPECT_EQ(FailureOf(question).code(), absl::StatusCode::kFailedPrecondition);
  question.thread = "20";
  question.at_ns = kFaultBeginsNs + 301'700_us;
  EXPECT_THAT(Explained(question).answer(), HasSubstr("in vain for back/backend/30"));
}

TEST_F(ExplainLog, LinesWithoutATimeBelongToTheLineAbove) {
  const std::string path =
      WriteFile(dir_ / "front.log", absl::StrCat(nodes_->StampAt(kFaultBeginsNs + 301'700_us),
                                                 " ERROR failed\n  at a.Main\n  at b.Run\n"));
  const pb::LogExplanation told =
      Explained({.place = {.path = path, .number = 3}, .node = "front"});
  EXPECT_EQ(told.line().line(), 3u);
  EXPECT_THAT(told.answer(), HasSubstr("front/frontend/20 waited 300 ms in vain"));
  EXPECT_THAT(told.notes(), Contains(HasSubstr("no time of its own; it is that of line 1")));
}

TEST_F(ExplainLog, OfALongLogOnlySomeLinesAreLearnedFrom) {
  std::string text;
  for (uint64_t i = 0; i < 1000; ++i)
    absl::StrAppend(&text, nodes_->StampAt(kFaultBeginsNs + i * 1_us), " frontend[20] INFO ", i,
                    "\n");
  absl::StrAppend(&text, nodes_->StampAt(kFaultBeginsNs + 301'700_us), " frontend[20] timed out\n");
  const std::string path = WriteFile(dir_ / "front.log", text);
  const pb::LogExplanation told =
      Explained({.place = {.path = path, .match = "timed out"}, .node = "front"});
  EXPECT_THAT(told.answer(), HasSubstr("front/frontend/20 waited 300 ms in vain"));
}

TEST_F(ExplainLog, ALineOutsideOfTheRecordingSaysSo) {
  const std::string path =
      WriteFile(dir_ / "late.log", absl::StrCat(nodes_->StampAt(200'000_ms), "Z late\n"));
  const absl::Status status = FailureOf({.place = {.path = path, .number = 1}});
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("after the recording's end"));
}

TEST_F(ExplainLog, AnotherZoneIsFoundByTheRecording) {
  const std::string path =
      WriteFile(dir_ / "front.log",
                absl::StrCat(nodes_->StampAt(kFaultBeginsNs + 301'700_us, 5 * 60), " failed\n"));
  const pb::LogExplanation told =
      Explained({.place = {.path = path, .number = 1}, .node = "front"});
  EXPECT_EQ(told.line().thread(), "front/frontend/20");
  EXPECT_THAT(told.notes(), Contains(HasSubstr("read as UTC+05:00")));
}

TEST_F(ExplainLog, WhatCannotBeAnsweredIsALineForTheUser) {
  const std::string front = nodes_->front_log();
  EXPECT_THAT(std::string(FailureOf({.place = {.path = front, .number = 99}}).message()),
              HasSubstr("has no line 99"));
  EXPECT_THAT(std::string(FailureOf({.place = {.path = front, .match = "no such"}}).message()),
              HasSubstr("no line of"));
  EXPECT_THAT(std::string(FailureOf({.place = {.path = front, .match = "("}}).message()),
              HasSubstr("--match"));
  EXPECT_THAT(
      std::string(FailureOf({.place = {.path = front, .number = 1}, .node = "mars"}).message()),
      HasSubstr("there is no node mars"));
  EXPECT_THAT(
      std::string(FailureOf({.place = {.path = front, .number = 1}, .thread = "nobody"}).message()),
      HasSubstr("no thread nobody"));
  EXPECT_FALSE(FailureOf({.place = {.path = dir_ / "none", .number = 1}}).ok());
}

TEST_F(ExplainLog, HostileLogsAreTakenOrRefused) {
  std::string binary = absl::StrCat(nodes_->StampAt(kFaultBeginsNs + 301'700_us), " \x1b[31m x");
  binary += std::string("\0\xff\xfe", 3);
  const std::string path =
      WriteFile(dir_ / "front.log", absl::StrCat(std::string(1u << 20, 'a'), "\n", binary, "\n",
                                                 std::string(9u << 20, 'b'), "\n\n"));
  LogQuestion question{.place = {.path = path, .number = 2}, .node = "front"};
  const pb::LogExplanation told = Explained(question);
  EXPECT_THAT(told.line().text(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(told.notes(), Contains(HasSubstr("1 line of")));
  question.place.number = 3;
  EXPECT_THAT(std::string(FailureOf(question).message()), HasSubstr("longer than 8 MiB"));
}

TEST_F(ExplainLog, ARegexThatBacktracksElsewhereIsNoTrap) {
  const std::string path =
      WriteFile(dir_ / "front.log", absl::StrCat(nodes_->StampAt(kFaultBeginsNs + 301'700_us), " ",
                                                 std::string(20'000, 'a'), "\n"));
  EXPECT_EQ(FailureOf({.place = {.path = path, .match = "(a+)+b"}}).code(),
            absl::StatusCode::kNotFound);
}

TEST(LogsBelow, AreAllFilesOfAFolder) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "a/b");
  WriteFile(dir / "a/b/2.log", "");
  WriteFile(dir / "a/1.log", "");
  const auto logs = LogsBelow(dir.path());
  ASSERT_TRUE(logs.ok());
  ASSERT_EQ(logs->size(), 2u);
  EXPECT_THAT((*logs)[0].path, HasSubstr("a/1.log"));
  EXPECT_FALSE(LogsBelow(dir / "none").ok());
  std::filesystem::create_directories(dir / "empty");
  EXPECT_EQ(LogsBelow(dir / "empty").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ExplainLog, RecordingsOfNodesOfOneNameAreRefused) {
  const std::string front = nodes_->directory() + "/front";
  const auto twice = ReadRecordings({front, front + "/"}, {.threads = 1});
  EXPECT_EQ(twice.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(twice.status().message()), HasSubstr("rename one"));
}

TEST(ParseLinePlace, IsAFileAndALine) {
  const auto place = ParseLinePlace("a:b.log:12");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->path, "a:b.log");
  EXPECT_EQ(place->number, 12u);
  for (const char* text : {"a.log", "a.log:", ":3", "a.log:0", "a.log:-1", "a.log:x", ""})
    EXPECT_FALSE(ParseLinePlace(text).ok()) << text;
}

TEST(ParseLogInput, MayTellTheNode) {
  EXPECT_EQ(ParseLogInput("web1=a/b.log")->node, "web1");
  EXPECT_EQ(ParseLogInput("web1=a/b.log")->path, "a/b.log");
  EXPECT_EQ(ParseLogInput("a/b=c.log")->path, "a/b=c.log");
  EXPECT_FALSE(ParseLogInput("=x").ok());
  EXPECT_FALSE(ParseLogInput("x=").ok());
  EXPECT_FALSE(ParseLogInput("").ok());
}

}  // namespace
}  // namespace gordian
