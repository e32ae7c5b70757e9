// SPDX-License-Identifier: Apache-2.0
// gordian diff --fail-if, as a build server meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kConditionHolds = 3;
std::string Recorded(const std::string& directory, const VaryingLoad& load = {}) {
  EXPECT_TRUE(VaryingTrace(load).WriteSession(directory).ok());
  return directory;
}

ProgramResult Diff(std::vector<std::string> words) {
  words.insert(words.begin(), {GORDIAN_PROGRAM, "diff"});
  return RunProgram(words);
}

MATCHER(IsALine, "is one line") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Three recordings on each side; those after are slower, if at all.
class DiffGate : public ::testing::Test {
 protected:
  std::vector<std::string> Sides(uint64_t sync_after_ns) const {
    std::vector<std::string> words = {"--before"};
    for (uint32_t i = 1; i <= 3; ++i)
      words.push_back(Recorded(dir_ / ("before" + std::to_string(i)), {.seed = i}));
    words.emplace_back("--after");
    for (uint32_t i = 4; i <= 6; ++i)
      words.push_back(
          Recorded(dir_ / ("after" + std::to_string(i)), {.sync_ns = sync_after_ns, .seed = i}));
    return words;
  }
  static std::vector<std::string> With(std::vector<std::string> words,
                                       const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  const TempDir dir_;
};

TEST_F(DiffGate, AConditionThatHoldsHasAnExitCodeOfItsOwn) {
  const ProgramResult result =
      Diff(With(Sides(7'000'000), {"--fail-if", "throughput<-5%", "--fail-if", "wait(B->vda)>+10%",
                                   "--fail-if", "new-limit", "--fail-if", "runtime>+10%"}));
  EXPECT_EQ(result.exit_code, kConditionHolds) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("Conditions: failed"), HasSubstr("FAILED    throughput<-5%: probe done"),
            HasSubstr("FAILED    wait(B->vda)>+10%"), HasSubstr("passed    new-limit"),
            HasSubstr("FAILED    runtime>+10%")));
}

TEST_F(DiffGate, WithoutAChangeItPasses) {
  const ProgramResult result =
      Diff(With(Sides(5'000'000), {"--fail-if", "throughput<-5%", "--fail-if", "wait(B->vda)>+10%",
                                   "--fail-if", "new-limit", "--strict"}));
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Conditions: passed"));
}

TEST_F(DiffGate, JsonAndJunitHaveTheSameAnswers) {
  const std::string junit = dir_ / "gate.xml";
  const ProgramResult result =
      Diff(With(Sides(7'000'000), {"--fail-if", "throughput<-5%", "--json", "--junit", junit}));
  EXPECT_EQ(result.exit_code, kConditionHolds) << result.errors;
  rapidjson::Document json;
  json.Parse(result.output.data(), result.output.size());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["gate"]["outcome"].GetString(), "failed");
  const rapidjson::Value& condition = json["gate"]["conditions"][0];
  EXPECT_STREQ(condition["outcome"].GetString(), "holds");
  EXPECT_NEAR(condition["change"].GetDouble(), 10.0 / 12 - 1, 0.03);
  EXPECT_EQ(json["before_recordings"].Size(), 3u);
  EXPECT_THAT(Contents(junit), AllOf(StartsWith("<?xml"), HasSubstr("failures=\"1\""),
                                     HasSubstr("throughput&lt;-5%")));
}

TEST_F(DiffGate, OneRecordingASideIsDecidedByItsParts) {
  const std::string before = Recorded(dir_ / "before", {.seed = 1});
  const std::string slow = Recorded(dir_ / "slow", {.sync_ns = 9'000'000, .seed = 2});
  const std::string same = Recorded(dir_ / "same", {.seed = 3});
  const ProgramResult failed =
      Diff({before, slow, "--fail-if", "throughput<-5%", "--fail-if", "wait(B->vda)>+5%"});
  EXPECT_EQ(failed.exit_code, kConditionHolds) << failed.output << failed.errors;
  EXPECT_THAT(failed.output, AllOf(HasSubstr("by the parts of"), Not(HasSubstr("passed   "))));
  const ProgramResult passed =
      Diff({before, same, "--fail-if", "throughput<-10%", "--fail-if", "new-limit"});
  EXPECT_EQ(passed.exit_code, 0) << passed.output << passed.errors;
  EXPECT_THAT(passed.output, HasSubstr("Conditions: passed"));
}

TEST_F(DiffGate, WhatTheDataCannotDecideFailsOnlyIfItIsStrict) {
  const std::string before = Recorded(dir_ / "before"), after = Recorded(dir_ / "after");
  const std::vector<std::string> words = {before, after, "--fail-if", "runtime>+5%"};
  const ProgramResult result = Diff(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("Conditions: undecided"), HasSubstr("it takes at")));
  const ProgramResult strict = Diff(With(words, {"--strict"}));
  EXPECT_EQ(strict.exit_code, kConditionHolds);
  EXPECT_THAT(strict.output, HasSubstr("undecided, which fails"));
}

TEST_F(DiffGate, AThroughputThatNobodyCountsSaysHowToCount) {
  const std::string trace = Recorded(dir_ / "trace", {.counts = false});
  const ProgramResult result = Diff({trace, trace, "--fail-if", "throughput<-5%"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, AllOf(IsALine(), HasSubstr("--progress, as 'wakes THREAD'"),
                                   HasSubstr("--count-call NAME")));
  const ProgramResult named =
      Diff({trace, trace, "--fail-if", "throughput<-5%", "--progress", "wakes A"});
  EXPECT_EQ(named.exit_code, 0) << named.errors;
  EXPECT_THAT(named.output, HasSubstr("wakes of A"));
}

TEST_F(DiffGate, UnknownNamesAndCallsFailInOneLine) {
  const std::string trace = Recorded(dir_ / "trace");
  const auto told = [&](const std::string& condition) {
    const ProgramResult result = Diff({trace, trace, "--fail-if", condition});
    EXPECT_EQ(result.exit_code, 1) << condition;
    EXPECT_THAT(result.errors, IsALine());
    return result.errors;
  };
  EXPECT_THAT(told("wait(B->vdb)>+10%"), HasSubstr("no thread, group or device is called vdb"));
  EXPECT_THAT(told("throughput(syscall accept4)<-5%"), HasSubstr("--count-call accept4"));
  EXPECT_THAT(told("throughput(probe typo)<-5%"), HasSubstr("no recording before the change"));
  EXPECT_THAT(told("runtime(load)>+5%"), HasSubstr("no phase load"));
}

TEST(DiffCommandLine, WhatMakesNoSenseIsAUsageErrorInOneLine) {
  const auto refused = [](const std::vector<std::string>& words) {
    const ProgramResult result = Diff(words);
    EXPECT_EQ(result.exit_code, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(result.errors, IsALine());
    EXPECT_EQ(result.output, "");
    return result.errors;
  };
  EXPECT_THAT(refused({}), HasSubstr("DIR1 is required"));
  EXPECT_THAT(refused({"a"}), HasSubstr("DIR2 is required"));
  EXPECT_THAT(refused({"a", "b", "--before", "c"}), HasSubstr("not both"));
  EXPECT_THAT(refused({"--before", "c"}), HasSubstr("--before needs --after"));
  EXPECT_THAT(refused({"a", "b", "--fail-if", "wiat(A->B)>+5%"}), HasSubstr("at character 1"));
  EXPECT_THAT(refused({"a", "b", "--junit", "x.xml"}), HasSubstr("--junit needs --fail-if"));
  EXPECT_THAT(refused({"a", "b", "--strict"}), HasSubstr("--strict needs --fail-if"));
  EXPECT_THAT(refused({"a", "b", "--fail-if", "new-limit", "--junit", "-"}),
              HasSubstr("--junit -"));
  EXPECT_THAT(refused({"a", "b", "--fail-if", "new-limit", "--false-alarms", "90%"}),
              HasSubstr("--false-alarms"));
}

}  // namespace
}  // namespace gordian::testing
