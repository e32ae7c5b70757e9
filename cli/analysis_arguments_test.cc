// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Arguments : AnalysisOptions {
  std::string directory;
};

// Parses `words` as `verb` would; the error's text, or empty.
std::string Parse(std::vector<std::string> words, Arguments& arguments) {
  CLI::App app("", "verb");
  AddDirectoryOption(app, arguments.directory);
  AddTargetOptions(app, arguments.target);
  AddGraphOptions(app, arguments);
  AddFindingOptions(app, arguments.finding);
  AddExplainOption(app, arguments.finding);
  AddTimeRangeOptions(app, arguments.range);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(AnalysisArguments, SharesAreGivenInPercentOrOfOne) {
  for (const auto& [text, share] : std::vector<std::pair<std::string, double>>{
           {"20%", 0.2}, {"0.05", 0.05}, {"2.5%", 0.025}, {"0", 0}, {"1", 1}}) {
    Arguments arguments;
    EXPECT_EQ(Parse({"trace", "--threshold", text}, arguments), "") << text;
    EXPECT_DOUBLE_EQ(arguments.finding.threshold, share) << text;
  }
  for (const char* text : {"20", "101%", "-1%", "%", "", "a", "1e-1", "0.1.2", "nan", "0x1"}) {
    Arguments arguments;
    EXPECT_THAT(Parse({"trace", std::string("--threshold=") + text}, arguments),
                HasSubstr("--threshold"))
        << text;
  }
}

TEST(AnalysisArguments, SpeedsOfLinksAreCheckedAtOnce) {
  Arguments arguments;
  EXPECT_EQ(Parse({"--link", "eth0=1G", "trace"}, arguments), "");
  EXPECT_THAT(arguments.capacities.links, ElementsAre("eth0=1G"));
  EXPECT_THAT(Parse({"--link", "eth0", "trace"}, arguments), HasSubstr("give eth0=1G"));
}

TEST(AnalysisArguments, CapacitiesOfDisksAreCheckedAtOnce) {
  Arguments arguments;
  EXPECT_EQ(Parse({"--disk", "vda=500MB/s,20kIOPS", "trace"}, arguments), "");
  EXPECT_THAT(arguments.capacities.disks, ElementsAre("vda=500MB/s,20kIOPS"));
  EXPECT_THAT(Parse({"--disk", "vda=fast", "trace"}, arguments), HasSubstr("20kIOPS"));
  EXPECT_THAT(Parse({"--capacities", "/no/such/file", "trace"}, arguments),
              HasSubstr("cannot read /no/such/file"));
}

TEST(AnalysisArguments, WhatMayBeRepeatedLeavesTheFolderAlone) {
  Arguments arguments;
  EXPECT_EQ(Parse({"--pid", "7", "--pid", "8", "--comm", "worker", "--cgroup", "/a", "--group",
                   "^w=W", "trace", "--explain", "--no-merge"},
                  arguments),
            "");
  EXPECT_EQ(arguments.directory, "trace");
  EXPECT_THAT(arguments.target.pids, ElementsAre(7, 8));
  EXPECT_THAT(arguments.graph.groups, ElementsAre("^w=W"));
  EXPECT_TRUE(arguments.finding.explain);
  EXPECT_TRUE(arguments.graph.no_merge);
}

TEST(AnalysisArguments, TimesNeedUnits) {
  Arguments arguments;
  EXPECT_EQ(Parse({"trace", "--from", "1500ms", "--to", "2s"}, arguments), "");
  EXPECT_EQ(arguments.range.from_ns, 1'500'000'000u);
  EXPECT_EQ(arguments.range.to_ns, 2'000'000'000u);
  EXPECT_THAT(Parse({"trace", "--from", "2"}, arguments), HasSubstr("--from"));
}

TEST(AnalysisArguments, WhatMakesNoSenseIsNamed) {
  for (const auto& [words, error] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "DIR"},
           {{"trace", "--pid", "0"}, "--pid"},
           {{"trace", "--max-vertices", "0"}, "--max-vertices"},
           {{"trace", "--threads", "0"}, "--threads"},
           {{"trace", "--threads", "9999"}, "--threads"}}) {
    Arguments arguments;
    EXPECT_THAT(Parse(words, arguments), HasSubstr(error));
  }
}

}  // namespace
}  // namespace gordian
