#include "output/output_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

}  // namespace
}  // namespace gordian
