// SPDX-License-Identifier: Apache-2.0
#include "output/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/test_reports.h"
#include "words/text_lines.h"

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

TEST(TextReport, TellsBelowItsFirstLineThatTheAnalysisWasStopped) {
  pb::Report report = TestReport("figure1");
  const std::string whole = TextReport(report, {.width = 200});
  report.mutable_recording()->mutable_stopped()->set_read_s(30);
  report.mutable_recording()->mutable_stopped()->set_recorded_s(120);
  const std::string page = TextReport(report, {.width = 200});
  const std::string told =
      "The analysis was stopped: this is about the first 30 s of the recording (25 % of 2 min).\n";
  const size_t second = whole.find('\n') + 1;
  EXPECT_EQ(page, whole.substr(0, second) + told + whole.substr(second));
}

TEST(TextReport, TellsThatTheMachineSlept) {
  pb::Report report = TestReport("figure1");
  EXPECT_THAT(TextReport(report, {}), Not(HasSubstr("slept")));
  report.mutable_recording()->set_suspends(1);
  report.mutable_recording()->set_suspended_s(3600);
  EXPECT_THAT(TextReport(report, {}), HasSubstr("suspended the machine slept once, for 1 h; no"));
  report.mutable_recording()->set_suspends(3);
  EXPECT_THAT(TextReport(report, {}), HasSubstr("the machine slept 3 times, for 1 h in all; no"));
}

TEST(TextReport, ListsSuggestionsThatMatter) {
  pb::Report report = TestReport("figure1");
  pb::Suggestion& heavy = *report.add_suggestions();
  heavy.set_kind("spin");
  heavy.set_text("2 threads of db most likely spin in Lock\x1b[2J (lock.cc:7)");
  heavy.set_advice("Say so.");
  pb::Suggestion& light = *report.add_suggestions();
  light.set_kind("false_wakeup");
  light.set_text("hardly worth a word");
  EXPECT_THAT(TextReport(report, {}), Not(HasSubstr("Worth annotating")));
  report.mutable_suggestions(0)->set_matters(true);
  const std::string page = TextReport(report, {});
  EXPECT_THAT(page, HasSubstr("Worth annotating\n  spin      2 threads of db most likely spin"));
  EXPECT_THAT(page, HasSubstr("\n            Say so.\n"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("hardly worth a word")));
}

// The lines of the first finding's gain.
std::string GainOf(const pb::Report& report) {
  const std::string page = TextReport(report, {.width = 200});
  const size_t begin = page.find("  gain ");
  return page.substr(begin, page.find("  trust ", begin) - begin);
}

TEST(TextReport, APredictionStandsWithTheCommandThatRepeatsIt) {
  EXPECT_EQ(GainOf(TestReport("figure1")),
            "  gain      1.7 to 2.0× throughput if B went on while the disk vda works (likely):\n"
            "            gordian whatif trace --async 'B->disk vda'\n"
            "            up to 2.0× if this wait were gone\n");
}

TEST(TextReport, CommandsAreNotBroken) {
  pb::Report report = TestReport("figure1");
  const std::string command = "gordian whatif /" + std::string(100, 'x') + " --async 'B->C'";
  report.mutable_findings(0)->mutable_predictions(0)->set_command(command);
  EXPECT_THAT(TextReport(report, {}), HasSubstr("\n            " + command + "\n"));
}

TEST(TextReport, SaysWhyAPredictionIsMoreThanTheWaitAloneAllows) {
  pb::Report report = TestReport("figure1");
  pb::Prediction& prediction = *report.mutable_findings(0)->mutable_predictions(0);
  prediction.set_expected(2.4);
  prediction.set_high(3);
  EXPECT_THAT(GainOf(report), HasSubstr("1.7 to 3.0× (around 2.4×) throughput if B"));
  EXPECT_THAT(GainOf(report), HasSubstr("up to 2.0× by that alone; a fix also takes away"));
}

TEST(TextReport, SaysWhyOnlyTheEndsOfAPredictionAreMoreThanTheWaitAloneAllows) {
  pb::Report report = TestReport("figure1");
  pb::Prediction& prediction = *report.mutable_findings(0)->mutable_predictions(0);
  prediction.set_low(1.5);
  prediction.set_expected(1.9);
  prediction.set_high(2.9);
  EXPECT_THAT(GainOf(report), HasSubstr("1.5 to 2.9× (around 1.9×) throughput if B"));
  EXPECT_THAT(GainOf(report),
              HasSubstr("up to 2.0× by that alone; the ends above hold what 9 of 10 measured"));
  prediction.set_at_least(true);
  EXPECT_THAT(GainOf(report), HasSubstr("up to 2.0× by that alone; a fix may save work beside it"));
}

TEST(TextReport, TellsOneEndOfAFixThatMerges) {
  pb::Report report = TestReport("figure1");
  pb::Prediction& prediction = *report.mutable_findings(0)->mutable_predictions(0);
  prediction.set_high(3);
  prediction.set_at_least(true);
  EXPECT_THAT(GainOf(report), HasSubstr("at least 1.7× throughput if B"));
  prediction.set_low(0.9);
  prediction.set_expected(1.01);
  EXPECT_THAT(GainOf(report), HasSubstr("no gain beyond chance (0.9 to "));
}

TEST(TextReport, SaysWhatGainsNothingAndWhatIsRoughAndWhatPartWasReplayed) {
  pb::Report report = TestReport("figure1");
  pb::Prediction& prediction = *report.mutable_findings(0)->mutable_predictions(0);
  prediction.set_trust(0.4);
  prediction.set_replayed_s(1.5);
  EXPECT_THAT(GainOf(report), HasSubstr("works (possible):\n"));
  EXPECT_THAT(GainOf(report), HasSubstr("\n            (replayed: 1.5 s from the recording's "
                                        "middle)\n"));
  prediction.set_low(0.9);
  prediction.set_high(1.1);
  prediction.set_expected(1.01);
  EXPECT_THAT(GainOf(report), HasSubstr("no gain beyond chance (0.9 to 1.1×) if B"));
}

TEST(TextReport, WhyThereIsNoPredictionIsSaidInALine) {
  EXPECT_THAT(GainOf(TestReport("lossy")),
              HasSubstr("\n            no prediction: with nothing changed the replay misses the "
                        "recorded rate by 31 %\n"));
}

TEST(TextReport, OtherFindingsSayTheirPredictionInShort) {
  pb::Report report = TestReport("figure1");
  *report.add_findings() = report.findings(0);
  report.mutable_findings(1)->set_rank(2);
  EXPECT_THAT(TextReport(report, {.width = 200}), HasSubstr("[knot, gain 1.7 to 2.0×, sure]"));
}

TEST(TextReport, SaysThatFalseWakeupsWereAssumed) {
  pb::Report report = TestReport("figure1");
  EXPECT_THAT(TextReport(report, {}), Not(HasSubstr("--assume-false-wakeups")));
  report.set_assumed_false_wakeups(1234);
  EXPECT_THAT(TextReport(report, {}), HasSubstr("1,234 false wakeups that no probe told of"));
}

}  // namespace
}  // namespace gordian
