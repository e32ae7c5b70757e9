// SPDX-License-Identifier: Apache-2.0
#include "output/phase_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

JobReading SmallReading() {
  JobReading reading;
  Job& job = reading.job;
  job.model.name = "small";
  job.model.types = {{.name = "Job"},
                     {.name = "Step", .parent = 0, .repeat = PhaseRepeat::kSequential},
                     {.name = "Never", .parent = 0}};
  job.model.resources = {{.name = "cpu", .unit = "cores"},
                         {.name = "gc", .kind = ResourceKind::kBlocking}};
  job.model.rules.resize(6);
  job.phases = {{.type = 0, .start_ns = 1000, .end_ns = 5'000'001'000},
                {.type = 1, .parent = 0, .key = "1", .start_ns = 1000, .end_ns = 1'000'001'000},
                {.type = 1,
                 .parent = 0,
                 .key = "2",
                 .start_ns = 1'000'001'000,
                 .end_ns = 4'000'001'000,
                 .node = "n1",
                 .end_assumed = true,
                 .after = {1}}};
  job.resources = {{.type = 0, .name = "cpu", .capacity = 4}, {.type = 1, .name = "gc"}};
  job.samples = {{{0, 1000, 1}, {1000, 2000, 3}}, {}};
  job.blocked = {{2, 1, 1'000'001'000, 1'500'001'000},
                 {2, 1, 1'200'001'000, 1'700'001'000},
                 {2, 1, 1'300'001'000, 1'400'001'000}};
  reading.counters = {{"log_lines_unknown", 2, {"a.log:3: what?\x1b[2J"}}};
  return reading;
}

TEST(PhaseSummary, SumsUpEachTypeThatOccurs) {
  const std::vector<PhaseTypeSummary> rows = SummarizeTypes(SmallReading().job);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].count, 2u);
  EXPECT_EQ(rows[1].total_ns, 4'000'000'000u);
  EXPECT_EQ(rows[1].longest, 2u);
  EXPECT_EQ(rows[1].ends_assumed, 1u);
}

TEST(PhaseSummary, CountsBlockedTimeOnceWhereIntervalsOverlap) {
  EXPECT_EQ(SummarizeTypes(SmallReading().job)[1].blocked_ns, 700'000'000u);
}

TEST(PhaseText, TellsTypesAndResourcesAndOnlyIfAskedEveryPhase) {
  const std::string text = PhaseText(SmallReading(), {});
  EXPECT_THAT(text, HasSubstr("  Step  sequential      2"));
  EXPECT_THAT(text, HasSubstr("/Job/Step[2]"));
  EXPECT_THAT(text, Not(HasSubstr("end assumed")));
  EXPECT_THAT(text, HasSubstr("cpu"));
  EXPECT_THAT(PhaseText(SmallReading(), {.tree = true}),
              HasSubstr("    1.000000         3 s    Step[2]  on n1  (end assumed)\n"));
}

TEST(PhaseText, TellsCountersWithExamplesThatCannotForgeLines) {
  const std::string text = CounterText(SmallReading().counters);
  EXPECT_THAT(text, HasSubstr("gordian: log_lines_unknown (2): Lines of logs"));
  EXPECT_THAT(text, HasSubstr("\n  a.log:3: what?\uFFFD[2J\n"));
}

}  // namespace
}  // namespace gordian
