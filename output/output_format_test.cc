// SPDX-License-Identifier: Apache-2.0
#include "output/output_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "jobs/attribution/test_jobs.h"
#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The output of each format for the report of Figure 1. Its timeline is empty.
class OutputFormatsOfFigure1 : public ::testing::Test {
 protected:
  OutputFormatsOfFigure1() { *page_.mutable_report() = report_; }

  std::string Written(const OutputFormat& format) const { return Written(format, &timeline_); }
  std::string Written(const OutputFormat& format, const Timeline* timeline) const {
    std::string bytes;
    format.write({.report = report_,
                  .page = page_,
                  .stacks = stacks_,
                  .code = code_,
                  .timeline = timeline,
                  .range = {.from_ns = 0, .to_ns = 10}},
                 [&bytes](std::string_view part) { bytes += part; });
    return bytes;
  }

  const pb::Report report_ = TestReport("figure1");
  pb::PageData page_;
  const std::vector<WeightedStack> stacks_ = WeightedStacks(report_, {}, Code());
  const Code code_;
  const Timeline timeline_;
};

TEST_F(OutputFormatsOfFigure1, AllWriteSomethingOfTheirOwn) {
  std::set<std::string> seen;
  for (const OutputFormat& format : OutputFormats()) {
    const std::string bytes = Written(format);
    EXPECT_THAT(bytes, Not(IsEmpty())) << format.name;
    EXPECT_TRUE(seen.insert(bytes).second) << format.name << " writes what another one writes";
  }
}

TEST_F(OutputFormatsOfFigure1, OnlyBinaryOnesHoldWhatNoTerminalShows) {
  for (const OutputFormat& format : OutputFormats()) {
    const std::string bytes = Written(format);
    const bool any_control = std::any_of(bytes.begin(), bytes.end(), [](char c) {
      return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t';
    });
    EXPECT_EQ(any_control, format.is_binary) << format.name;
  }
}

// A job may have no recording.
TEST_F(OutputFormatsOfFigure1, ThoseOfPhasesAreWrittenWithoutATimeline) {
  for (const OutputFormat& format : OutputFormats()) {
    if (!format.of_phases) continue;
    EXPECT_THAT(Written(format, nullptr), Not(IsEmpty())) << format.name;
  }
}

TEST(OutputFormats, AreToldApartByNamesThatMakeOptions) {
  std::set<std::string> names;
  for (const OutputFormat& format : OutputFormats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_TRUE(std::all_of(format.name.begin(), format.name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || c == '-';
    })) << format.name;
    EXPECT_THAT(format.help, Not(IsEmpty())) << format.name;
  }
  EXPECT_THAT(OutputFormats()[0].help, HasSubstr("- is standard output, here and below"))
      << "whichever stands first in --help explains it for all";
}

TEST(OutputFormats, JsonOfAJobTellsItsUseByTimesliceAndWhenItWasHeld) {
  JobBuilder job;
  job.Type("Job");
  const ResourceId cpu = job.Consumable("cpu", 2);
  const ResourceId gc = job.Blocking("gc");
  const PhaseId whole = job.Add(0, kNoId, 0, 40);
  job.Sample(cpu, 0, 40, 0.5);
  job.Block(whole, gc, 20, 30);
  const auto analysis = AnalyzeJob(job.Build(), {}, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  std::string json;
  OutputFormats()[0].write({.report = pb::Report(),
                            .page = pb::PageData(),
                            .stacks = {},
                            .code = Code(),
                            .range = {},
                            .job = &*analysis},
                           [&json](std::string_view part) { json += part; });
  json.erase(std::remove_if(json.begin(), json.end(), [](char c) { return c == ' ' || c == '\n'; }),
             json.end());
  EXPECT_THAT(json, HasSubstr("\"bin_s\":0.01"));
  EXPECT_THAT(json, HasSubstr("\"variable_demand\":[1.0,1.0,0.0,1.0]"));
  EXPECT_THAT(json, HasSubstr("\"kind\":\"blocked\",\"start_s\":0.02,\"end_s\":0.03"));
}

}  // namespace
}  // namespace gordian
