// SPDX-License-Identifier: Apache-2.0
#include "output/attribution_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Csv(const Job& job, std::vector<MeasuredUse> measured = {}) {
  JobOptions options;
  options.attribution.slice_ns = MsToNs(100);
  const auto analysis = AnalyzeJob(job, std::move(measured), options);
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  std::string text;
  if (analysis.ok()) WriteAttributionCsv(*analysis, [&](std::string_view part) { text += part; });
  return text;
}

std::vector<std::string> Rows(const std::string& text) {
  std::vector<std::string> rows = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

// Load, 100 ms nothing, Sort; two CPUs of which Load wants one.
JobBuilder LoadAndSort() {
  JobBuilder job;
  job.Type("Job");
  job.Type("Load", 0);
  job.Type("Sort", 0, PhaseRepeat::kOnce, {1});
  const ResourceId cpu = job.Consumable("cpu", 2);
  job.Rule(1, cpu, RuleKind::kExact, 0.5);
  job.Rule(2, cpu, RuleKind::kVariable, 3);
  job.Rule(0, cpu, RuleKind::kNone);
  job.Add(0, kNoId, 0, 500);
  job.Add(1, 0, 0, 200);
  job.Add(2, 0, 300, 500);
  job.Sample(cpu, 0, 200, 1);
  job.Sample(cpu, 200, 300, 0.5);
  job.Sample(cpu, 300, 500, 1.5);
  return job;
}

TEST(AttributionCsv, HasARowForEachTimeInWhichNothingChanges) {
  EXPECT_THAT(
      Rows(Csv(LoadAndSort().Build())),
      ElementsAre("0,0.2,cpu,,units,2,/Job/Load,1,1,0,0",
                  "0.3,0.5,cpu,,units,2,/Job/Sort,1.5,0,3,0", "0.2,0.3,cpu,,units,2,,0.5,0,0,0"));
}

TEST(AttributionCsv, TellsMeasuredUseAsSuch) {
  MeasuredUse measured{.resource = 0, .known_ns = {{0, MsToNs(200)}}};
  measured.pieces = {{1, 0, MsToNs(100), 0.8}, {1, MsToNs(100), MsToNs(200), 0.4}};
  const std::vector<std::string> rows = Rows(Csv(LoadAndSort().Build(), {measured}));
  ASSERT_GE(rows.size(), 2U);
  EXPECT_THAT(rows[0], HasSubstr("/Job/Load,0.8,1,0,1"));
  EXPECT_THAT(rows[1], HasSubstr("/Job/Load,0.4,1,0,1"));
}

TEST(AttributionCsv, AddsUpToTheUse) {
  double used = 0;
  for (const std::string& row : Rows(Csv(LoadAndSort().Build()))) {
    const std::vector<std::string> fields = absl::StrSplit(row, ',');
    ASSERT_EQ(fields.size(), 11U);
    double from_s = 0;
    double to_s = 0;
    double use = 0;
    ASSERT_TRUE(absl::SimpleAtod(fields[0], &from_s) && absl::SimpleAtod(fields[1], &to_s) &&
                absl::SimpleAtod(fields[7], &use));
    used += use * (to_s - from_s);
  }
  EXPECT_NEAR(used, 0.2 * 1 + 0.1 * 0.5 + 0.2 * 1.5, 1e-9);
}

TEST(AttributionCsv, QuotesNamesThatHoldACommaOrAQuote) {
  JobBuilder job;
  job.Type("Job, \"the\" one");
  const ResourceId cpu = job.Consumable("cpu", 1);
  job.Add(0, kNoId, 0, 100);
  job.Sample(cpu, 0, 100, 1);
  EXPECT_THAT(Csv(job.Build()), HasSubstr(",\"/Job, \"\"the\"\" one\","));
}

}  // namespace
}  // namespace gordian
