// SPDX-License-Identifier: Apache-2.0
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
std::string Parse(std::vector<std::string> words, pb::StartRequest& request) {
  CLI::App app("", "verb");
  AddRecordingOptions(app, request);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordingArguments, UnitsAreUnderstood) {
  pb::StartRequest request;
  EXPECT_EQ(
      Parse({"--ring", "64M", "--max-size=2GiB", "--duration", "5m", "--resource-interval", "50ms"},
            request),
      "");
  EXPECT_EQ(request.ring_bytes(), 64u << 20);
  EXPECT_EQ(request.max_bytes(), 2ull << 30);
  EXPECT_EQ(request.duration_ns(), 300'000'000'000u);
  EXPECT_EQ(request.resource_interval_ns(), 50'000'000u);
}

TEST(RecordingArguments, TargetsMayBeRepeated) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({"--pid", "12", "--pid", "13", "--comm", "worker", "--only"}, request), "");
  EXPECT_THAT(request.pids(), ElementsAre(12, 13));
  EXPECT_THAT(request.comms(), ElementsAre("worker"));
  EXPECT_TRUE(request.only());
}

TEST(RecordingArguments, CallsToCountMayBeRepeated) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({"--count-call", "accept4", "--count-call", "fsync"}, request), "");
  EXPECT_THAT(request.counted_calls(), ElementsAre("accept4", "fsync"));
}

TEST(RecordingArguments, LocalMessagesAreSocketsPipesOrAll) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({}, request), "");
  EXPECT_EQ(request.local_messages_size(), 0);
  EXPECT_EQ(Parse({"--local-messages", "sockets"}, request), "");
  EXPECT_THAT(request.local_messages(), ElementsAre("sockets"));
  EXPECT_NE(Parse({"--local-messages", "shared-memory"}, request), "");
}

TEST(RecordingArguments, CommandsAreRecordedUnlessToldOtherwise) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({}, request), "");
  EXPECT_FALSE(request.no_commands());
  EXPECT_EQ(Parse({"--no-commands"}, request), "");
  EXPECT_TRUE(request.no_commands());
}

TEST(RecordingArguments, ABudgetIsAShareOrNone) {
  pb::StartRequest request;
  EXPECT_FALSE(request.has_budget_ppm());
  EXPECT_EQ(Parse({"--budget", "none"}, request), "");
  EXPECT_TRUE(request.has_budget_ppm());
  EXPECT_EQ(request.budget_ppm(), 0u);
  EXPECT_EQ(Parse({"--budget", "0.5%"}, request), "");
  EXPECT_EQ(request.budget_ppm(), 5000u);
  EXPECT_EQ(Parse({"--budget", "3"}, request), "");
  EXPECT_EQ(request.budget_ppm(), 30000u);
  for (const char* nonsense : {"", "0", "0.4%", "51%", "nan", "much", "-2%", "2%%"})
    EXPECT_THAT(Parse({"--budget", nonsense}, request), HasSubstr("from 0.5% to 50%, or none"))
        << nonsense;
}

TEST(RecordingArguments, PodsContainersAndUnitsAreTargetsByName) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({"--pod", "shop/web", "--container", "db", "--unit", "nginx", "--unit", "cron"},
                  request),
            "");
  EXPECT_THAT(request.pods(), ElementsAre("shop/web"));
  EXPECT_THAT(request.containers(), ElementsAre("db"));
  EXPECT_THAT(request.units(), ElementsAre("nginx", "cron"));
  EXPECT_TRUE(HasTarget(request));
  EXPECT_THAT(Parse({"--unit", ""}, request), HasSubstr("a name is missing"));
}

// An unset option and zero are not the same: the recorder decides only unset options.
TEST(RecordingArguments, WhatIsNotGivenStaysUnsaid) {
  pb::StartRequest request;
  EXPECT_EQ(Parse({}, request), "");
  pb::StartRequest expected;
  expected.set_sample_hz(99);
  EXPECT_EQ(request.SerializeAsString(), expected.SerializeAsString());
  EXPECT_EQ(Parse({"--irq-threshold", "0ns", "--kernel-ring", "4K", "--sample-hz", "0"}, request),
            "");
  EXPECT_TRUE(request.has_irq_threshold_ns());
  EXPECT_EQ(request.irq_threshold_ns(), 0u);
  EXPECT_EQ(request.kernel_ring_bytes_per_cpu(), 4096u);
  EXPECT_EQ(request.sample_hz(), 0u);
}

TEST(RecordingArguments, AnOptionLeavesTheWordsAfterItsValueAlone) {
  CLI::App app("", "verb");
  pb::StartRequest request;
  AddRecordingOptions(app, request);
  std::string name;
  app.add_option("NAME", name);
  EXPECT_NO_THROW(app.parse("--pid 12 --comm a --cgroup /b web"));
  EXPECT_EQ(name, "web");
  EXPECT_THAT(request.comms(), ElementsAre("a"));
}

TEST(RecordingArguments, WhatMakesNoSenseIsNamed) {
  struct Case {
    std::vector<std::string> words;
    std::string error;
  };
  const std::vector<Case> cases = {
      {{"--ring", "64X"}, "--ring"},
      {{"--ring", "0"}, "the ring must be more than nothing"},
      {{"--ring", "-1"}, "'-1' is no size: give 64M, 0.5G or 4096"},
      {{"--ring", ""}, "'' is no size"},
      {{"--duration", "-5s"}, "'-5s' is no time: give 250ms, 5.5s, 1m30s or 12h"},
      {{"--ring", "999999999999G"}, "--ring"},
      {{"--max-size", "lots"}, "--max-size"},
      {{"--duration", "10"}, "'10' has no unit"},
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
    pb::StartRequest request;
    EXPECT_THAT(Parse(bad.words, request), HasSubstr(bad.error)) << bad.words.back();
  }
}

}  // namespace
}  // namespace gordian
