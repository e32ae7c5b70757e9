#include "cli/recording_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Parses `words` as `verb` would; the error's text, or empty.
std::string Parse(std::vector<std::string> words, RecordingArguments& arguments) {
  CLI::App app("", "verb");
  AddRecordingOptions(app, arguments);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordingArguments, UnitsAreUnderstood) {
  RecordingArguments arguments;
  EXPECT_EQ(
      Parse({"--ring", "64M", "--max-size=2GiB", "--duration", "5m", "--resource-interval", "50ms"},
            arguments),
      "");
  EXPECT_EQ(arguments.ring_bytes, 64u << 20);
  EXPECT_EQ(arguments.max_bytes, 2ull << 30);
  EXPECT_EQ(arguments.duration_ns, 300'000'000'000u);
  EXPECT_EQ(arguments.resource_interval_ns, 50'000'000u);
}

TEST(RecordingArguments, TargetsMayBeRepeated) {
  RecordingArguments arguments;
  EXPECT_EQ(Parse({"--pid", "12", "--pid", "13", "--comm", "worker", "--only"}, arguments), "");
  EXPECT_THAT(arguments.pids, ElementsAre(12, 13));
  EXPECT_THAT(arguments.comms, ElementsAre("worker"));
  EXPECT_TRUE(arguments.only);
}

TEST(RecordingArguments, CallsToCountMayBeRepeated) {
  RecordingArguments arguments;
  EXPECT_EQ(Parse({"--count-call", "accept4", "--count-call", "fsync"}, arguments), "");
  EXPECT_THAT(arguments.counted_calls, ElementsAre("accept4", "fsync"));
}

TEST(RecordingArguments, ABudgetIsAShareOrNone) {
  RecordingArguments arguments;
  EXPECT_EQ(BudgetPpm(arguments), std::nullopt);
  EXPECT_EQ(Parse({"--budget", "none"}, arguments), "");
  EXPECT_EQ(BudgetPpm(arguments), 0u);
  EXPECT_EQ(Parse({"--budget", "0.5%"}, arguments), "");
  EXPECT_EQ(BudgetPpm(arguments), 5000u);
  EXPECT_EQ(Parse({"--budget", "3"}, arguments), "");
  EXPECT_EQ(BudgetPpm(arguments), 30000u);
  for (const char* nonsense : {"", "0", "0.4%", "51%", "nan", "much", "-2%", "2%%"})
    EXPECT_THAT(Parse({"--budget", nonsense}, arguments), HasSubstr("from 0.5% to 50%, or none"))
        << nonsense;
}

TEST(RecordingArguments, AnOptionLeavesTheWordsAfterItsValueAlone) {
  CLI::App app("", "verb");
  RecordingArguments arguments;
  AddRecordingOptions(app, arguments);
  std::string name;
  app.add_option("NAME", name);
  EXPECT_NO_THROW(app.parse("--pid 12 --comm a --cgroup /b web"));
  EXPECT_EQ(name, "web");
  EXPECT_THAT(arguments.comms, ElementsAre("a"));
}

TEST(RecordingArguments, WhatMakesNoSenseIsNamed) {
  struct Case {
    std::vector<std::string> words;
    std::string error;
  };
  const std::vector<Case> cases = {
      {{"--ring", "64X"}, "--ring"},
      {{"--ring", "0"}, "the ring must be more than nothing"},
      {{"--ring", "-1"}, "does not begin with a digit"},
      {{"--ring", ""}, "does not begin with a digit"},
      {{"--duration", "-5s"}, "does not begin with a digit"},
      {{"--ring", "999999999999G"}, "--ring"},
      {{"--max-size", "lots"}, "--max-size"},
      {{"--duration", "10"}, "--duration"},
      {{"--duration", "0s"}, "the duration must be more than nothing"},
      {{"--duration", "10M"}, "--duration"},
      {{"--resource-interval", "10ms"}, "the interval must be from 50ms to 1h"},
      {{"--resource-interval", "2h"}, "the interval must be from 50ms to 1h"},
      {{"--pid", "0"}, "--pid"},
      {{"--pid", "99999999999"}, "--pid"},
      {{"--attach", "magic"}, "--attach"},
      {{"--comm"}, "--comm"},
      {{"--nonsense"}, "--nonsense"},
  };
  for (const Case& bad : cases) {
    RecordingArguments arguments;
    EXPECT_THAT(Parse(bad.words, arguments), HasSubstr(bad.error)) << bad.words.back();
  }
}

}  // namespace
}  // namespace gordian
