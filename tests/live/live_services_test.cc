// SPDX-License-Identifier: Apache-2.0
// gordian top as a service, beside a real recording.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "live/metrics/test_exposition.h"
#include "schema/report.pb.h"
#include "tests/live/followed_stall.h"
#include "tests/live/http_get.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

uint16_t MetricsPort(const FollowedStall& stall) {
  uint16_t port = 0;
  FollowedStall::Until(
      [&] { return (port = PortBehind(stall.Said(), "metrics at http://")) != 0; });
  return port;
}

// In seconds; 0 if there is no such wait.
double LongestWait(const std::string& recording, const std::string& from, const std::string& to) {
  const ProgramResult analyzed = RunProgram({GORDIAN_PROGRAM, "analyze", recording, "--json", "-"});
  EXPECT_EQ(analyzed.exit_code, 0) << analyzed.errors;
  pb::Report report;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(analyzed.output, &report).ok());
  double longest_s = 0;
  for (const pb::ReportEdge& edge : report.edges())
    if (report.vertices(static_cast<int>(edge.from())).label() == from &&
        report.vertices(static_cast<int>(edge.to())).label() == to)
      longest_s = edge.longest_s();
  return longest_s;
}

TEST(LiveServices, MetricsOfARunningProgramAreWellFormedAndTellItsWaits) {
  FollowedStall stall;
  stall.Follow({"--metrics", "0"});
  const uint16_t port = MetricsPort(stall);
  ASSERT_NE(port, 0) << stall.Said();
  const std::string wait = "gordian_wait_seconds_total{from=\"server\",to=\"store\"}";
  Exposition read;
  // The counter begins with the first frame.
  EXPECT_TRUE(FollowedStall::Until([&] {
    read = ReadExposition(HttpGet(port, "/metrics", "application/openmetrics-text"),
                          MetricsFormat::kOpenMetrics);
    return read.samples.contains(wait) && read.samples[wait] > 0;
  }));
  EXPECT_EQ(read.fault, "");
  EXPECT_THAT(read.Of("gordian_cpus_busy"), Not(IsEmpty()));
  EXPECT_EQ(HttpGet(port, "/healthz"), "ok\n");
  if (access("/usr/bin/promtool", X_OK) == 0) {
    const std::string page =
        testing::WriteFile(stall.directory() / "page", HttpGet(port, "/metrics"));
    const ProgramResult checked =
        RunProgram({"/bin/sh", "-c", "/usr/bin/promtool check metrics < " + page});
    EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.errors;
  }
  EXPECT_EQ(stall.End(), 0) << stall.Said();
}

TEST(LiveServices, ARuleKeepsTheStallAndRunsItsCommand) {
  FollowedStall stall;
  const std::string got = stall.directory() / "got";
  const std::string rules =
      testing::WriteFile(stall.directory() / "rules",
                         "rule stall\n"
                         "  when wait store -> timer > 20 %\n"
                         "  cooldown 1h\n"
                         "  keep\n"
                         "  run sh -c \"{ echo $GORDIAN_RULE; echo $GORDIAN_KEPT; cat; } > " +
                             got + ".new; mv " + got + ".new " + got + "\"\n");
  stall.Follow({"--rules", rules, "--keep", stall.directory() / "kept"});
  EXPECT_TRUE(FollowedStall::Until([&] { return std::filesystem::exists(got); })) << stall.Said();
  EXPECT_EQ(stall.End(), 0) << stall.Said();
  EXPECT_THAT(stall.Said(), HasSubstr("rule stall: kept " + stall.directory().path()));
  const std::string text = testing::ReadFile(got);
  EXPECT_THAT(text, HasSubstr("\"verdict\""));
  ASSERT_TRUE(text.starts_with("stall\n" + stall.directory().path() + "/kept/")) << text;
  const std::string kept = text.substr(6, text.find('\n', 6) - 6);
  EXPECT_GE(LongestWait(kept, "store", "timer"), 2.9);
}

TEST(LiveServices, FaultyRulesAreRefusedBeforeAnythingIsFollowed) {
  const testing::TempDir directory;
  const std::string rules =
      testing::WriteFile(directory / "rules", "rule a\nwhen shore > 1\nrule a\nwhen lost > 0\n");
  for (const std::string option : {"--rules", "--check-rules"}) {
    const ProgramResult result =
        RunProgram({GORDIAN_PROGRAM, "top", directory / "none", option, rules});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, HasSubstr(rules + ":2: no condition begins with 'shore'"));
    EXPECT_THAT(result.errors, HasSubstr(rules + ":3: there is another rule 'a'"));
  }
  testing::WriteFile(rules, "rule a\nwhen lost > 0\n");
  EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "top", "--check-rules", rules}).output,
            rules + ": 1 rule\n");
}

}  // namespace
}  // namespace gordian
