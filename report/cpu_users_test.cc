// SPDX-License-Identifier: Apache-2.0
#include "report/cpu_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// The scenario `starved` or another, each thread a vertex; S and those named are the finding's
// members.
pb::Report Judged(const std::string& kind, uint64_t from_ns, uint64_t to_ns,
                  const std::vector<uint32_t>& members = {0}, const std::string& reason = "",
                  const Scenario& scenario = ReadScenario(GORDIAN_SCENARIOS "/starved.txt"),
                  size_t events_per_window = 0) {
  const TemporaryDirectory directory;
  WriteScenario(scenario, directory / "session", 1000);
  auto session = SessionReader::Open(directory / "session");
  auto timeline = LoadTimeline(**session, {.events_per_window = events_per_window});
  pb::Report report;
  for (const char* name : {"S", "hog", "hog"}) report.add_vertices()->set_name(name);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind(kind);
  finding.set_confidence(1);
  finding.set_title("S gets no CPU.");
  if (!reason.empty()) finding.add_why(reason);
  for (const uint32_t member : members) finding.add_members(member);
  std::vector<uint32_t> vertex_of_entity(timeline->entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  AddCpuUsers(Waits(*timeline, {}), vertex_of_entity, 2,
              RangeOf(timeline->start_ns(), timeline->end_ns(), from_ns, to_ns), 2, report);
  return report;
}

TEST(CpuUsers, AreThoseWhoRanWhileAMemberWasReady) {
  const pb::Report report = Judged("starvation", 0, 40);
  const pb::Finding& finding = report.findings(0);
  ASSERT_EQ(finding.cpu_users_size(), 1);
  EXPECT_EQ(finding.cpu_users(0).name(), "hog");
  EXPECT_DOUBLE_EQ(finding.cpu_users(0).share(), 0.75);
  ASSERT_EQ(finding.why_size(), 1);
  EXPECT_THAT(finding.why(0),
              HasSubstr("CPUs ran hog 75 %, other programs or no program 25 % of the time."));
}

TEST(CpuUsers, AreTheSameForAnyWindows) {
  for (const uint64_t from_ns : {0u, 7u}) {
    const pb::Report whole = Judged("starvation", from_ns, 40, {0, 1});
    EXPECT_FALSE(whole.findings(0).cpu_users().empty());
    for (size_t events = 1; events <= 8; ++events) {
      const Scenario scenario = ReadScenario(GORDIAN_SCENARIOS "/starved.txt");
      EXPECT_EQ(Judged("starvation", from_ns, 40, {0, 1}, "", scenario, events).DebugString(),
                whole.DebugString())
          << events;
    }
  }
}

TEST(CpuUsers, StandBesideTheReason) {
  const pb::Report report = Judged("starvation", 0, 40, {0}, "S waits for a CPU.");
  ASSERT_EQ(report.findings(0).why_size(), 1);
  EXPECT_EQ(report.findings(0).why(0),
            "S waits for a CPU. Meanwhile the CPUs ran hog 75 %, other programs or no program 25 % "
            "of the time.");
}

TEST(CpuUsers, MembersCompeteWithEachOtherToo) {
  const pb::Report report = Judged("starvation", 0, 40, {0, 1});  // one of them always is ready
  const pb::Finding& finding = report.findings(0);
  ASSERT_EQ(finding.cpu_users_size(), 2);
  EXPECT_TRUE(finding.cpu_users(0).member());
  EXPECT_DOUBLE_EQ(finding.cpu_users(0).share(), 0.5);
  EXPECT_DOUBLE_EQ(finding.cpu_users(1).share(), 0.25);
}

// S waits for CPU 0, and CPU 1 has nothing to do.
TEST(CpuUsers, AreFollowedByAdviceIfACpuWasFreeMostOfTheTime) {
  const Scenario kept_out = ParseScenario(
      "end 400000\nthread 1 S R\nthread 2 hog R\n"
      "0 0 switch 0 2\n200000 0 switch 2 1 P\n---\n");
  const pb::Report report = Judged("starvation", 0, 400'000, {0}, "", kept_out);
  ASSERT_EQ(report.findings(0).advice_size(), 1);
  EXPECT_THAT(report.findings(0).advice(0), HasSubstr("1.0 CPUs were free on average: look for"));

  const Scenario busy = ParseScenario(
      "end 400000\nthread 1 S R\nthread 2 hog R\nthread 3 hog R\n"
      "0 0 switch 0 2\n0 1 switch 0 3\n200000 0 switch 2 1 P\n---\n");
  EXPECT_EQ(Judged("starvation", 0, 400'000, {0}, "", busy).findings(0).advice_size(), 0);
}

TEST(CpuUsers, AreFollowedByTheCpusThatAMemberNeverLeaves) {
  const auto title_of = [](int second_cpu) {
    const Scenario bound = ParseScenario(
        absl::StrCat("end 400000\nthread 1 S R\nthread 2 hog R\n"
                     "0 0 switch 0 2\n200000 0 switch 2 1 P\n300000 0 switch 1 2 P\n350000 ",
                     second_cpu, " switch ", second_cpu == 0 ? 2 : 0, " 1",
                     second_cpu == 0 ? " P\n" : "\n", "---\n"));
    return Judged("starvation", 0, 400'000, {0}, "", bound).findings(0).title();
  };
  EXPECT_EQ(title_of(0), "S gets no CPU: it runs on CPU 0 alone, and 1.0 of 2 CPUs were free.");
  EXPECT_EQ(title_of(1), "S gets no CPU.");
}

// S and a hog yield to each other on CPU 0, then S runs on CPU 1.
TEST(CpuUsers, MakeAGuessOfItIfMembersRunOnAllCpusAndOneWasFree) {
  const auto confidence_of = [](const std::string& last_cpu) {
    const Scenario yields = ParseScenario(
        absl::StrCat("end 400000\nthread 1 S R\nthread 2 hog R\n"
                     "0 0 switch 0 2\n200000 0 switch 2 1 P\n300000 0 switch 1 2 P\n350000 ",
                     last_cpu, "\n---\n"));
    return Judged("starvation", 0, 400'000, {0}, "", yields).findings(0).confidence();
  };
  EXPECT_LT(confidence_of("1 switch 0 1"), 0.4);
  EXPECT_EQ(confidence_of("0 switch 2 1 P"), 1);
}

TEST(CpuUsers, AreInTheTitleIfTheyLeaveNoCpuFree) {
  const Scenario full = ParseScenario(
      "end 400000\nthread 1 S R\nthread 2 hog R\nthread 3 hog R\n"
      "0 0 switch 0 2\n0 1 switch 0 3\n200000 0 switch 2 1 P\n---\n");
  EXPECT_EQ(Judged("starvation", 0, 400'000, {0}, "", full).findings(0).title(),
            "S gets no CPU: the CPUs are full of hog (100 %).");
  const Scenario turns = ParseScenario(
      "end 400000\nthread 1 S R\nthread 2 S R\nthread 3 hog R\n"
      "0 0 switch 0 1\n0 1 switch 0 3\n200000 0 switch 1 2 P\n---\n");
  EXPECT_EQ(Judged("starvation", 0, 400'000, {0, 1}, "", turns).findings(0).title(),
            "S gets no CPU: the CPUs are full of their own work (50 %) and hog (50 %).");
}

TEST(CpuUsers, AreNotFollowedByItWhereAProcessorOnlyComesOutOfItsSleep) {
  EXPECT_EQ(Judged("starvation", 20, 30).findings(0).advice_size(), 0);  // 10 ns
}

TEST(CpuUsers, CountOnlyWithinTheRange) {
  const pb::Report report = Judged("starvation", 5, 25);
  EXPECT_DOUBLE_EQ(report.findings(0).cpu_users(0).share(), 0.75);  // of 5-10 all, of 20-25 half
  EXPECT_EQ(Judged("starvation", 10, 20).findings(0).cpu_users_size(), 0);
}

TEST(CpuUsers, AreNamedForStarvationOnly) {
  EXPECT_EQ(Judged("knot", 0, 40).findings(0).cpu_users_size(), 0);
}

}  // namespace
}  // namespace gordian
