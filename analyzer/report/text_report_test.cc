#include "analyzer/report/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/report/test_reports.h"
#include "analyzer/report/text_lines.h"

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::StartsWith;

class GoldenPages : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenPages, AreAsKept) {
  const std::string page = TextReport(TestReport(GetParam()), {});
  EXPECT_EQ(page, Golden(std::string(GetParam()) + ".txt", page));
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(TextWidth(line), 80u) << line;
}

INSTANTIATE_TEST_SUITE_P(Text, GoldenPages,
                         ::testing::Values("figure1", "lossy", "nothing", "empty", "hostile",
                                           "job"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TextReport, FirstLineIsWhatLimitsTheProgramNotWhatRanksInTheBackground) {
  EXPECT_THAT(TextReport(TestReport("lossy"), {}), StartsWith("The 2 postgres backends"));
}

TEST(TextReport, EscapesOnlyWhereColourIsWanted) {
  const pb::Report report = TestReport("hostile");
  EXPECT_THAT(TextReport(report, {}), Not(HasSubstr("\x1b")));
  const std::string coloured = TextReport(report, {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1m"));
  EXPECT_THAT(coloured, Not(HasSubstr("\x1b[2J")));
}

TEST(TextLines, WrapBreaksAtSpacesAndCutsWhatIsTooWide) {
  EXPECT_EQ(WrapText("one two  three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(WrapText("ab äöüäöü c", 4), (std::vector<std::string>{"ab", "äöüä", "öü c"}));
  EXPECT_TRUE(WrapText("", 10).empty());
}

TEST(TextLines, NumbersAreWrittenAsOneWouldSayThem) {
  EXPECT_EQ(PercentText(0.804), "80 %");
  EXPECT_EQ(PercentText(0.0004), "under 0.1 %");
  EXPECT_EQ(PercentText(0), "0 %");
  EXPECT_EQ(GainText(2), "2.0 times");
  EXPECT_EQ(GainText(1e9), "more than 100 times");
  EXPECT_EQ(SecondsText(-1), "0 s");
  EXPECT_EQ(Shorten("abcdef", 4), "abc…");
}

}  // namespace
}  // namespace gordian
