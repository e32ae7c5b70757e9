// SPDX-License-Identifier: Apache-2.0
#include "output/participation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_split.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

pb::ParticipationWindow& AddWindow(pb::Participation& answer, uint64_t from_ns, uint64_t to_ns,
                                   double paths) {
  pb::ParticipationWindow& window = *answer.add_windows();
  window.set_from_ns(from_ns);
  window.set_to_ns(to_ns);
  window.set_paths(paths);
  return window;
}

void AddRow(pb::ParticipationWindow& window, const std::string& name, double cp) {
  pb::ParticipationRow& row = *window.add_rows();
  row.set_name(name);
  row.set_cp(cp);
  row.set_crossings(2 * cp);
}

pb::Participation Answer(const std::string& by) {
  pb::Participation answer;
  answer.set_by(by);
  return answer;
}

std::string TextOf(const std::vector<pb::Participation>& answers) {
  return ParticipationText(answers, {.most_rows = 3, .most_windows = 2});
}

TEST(ParticipationText, BeginsWithTheLargestShareAndShowsBars) {
  pb::Participation answer = Answer("activity");
  pb::ParticipationWindow& window = AddWindow(answer, 0, 2'000'000'000, 6);
  AddRow(window, "Processing", 0.75);
  AddRow(window, "DataMessage", 0.25);
  const std::string text = TextOf({answer});
  EXPECT_THAT(text, StartsWith("6 paths lead through 2 s. Processing is 75 % of the average one."));
  EXPECT_THAT(text,
              HasSubstr("Processing                      ███████████████        75 %      1.5"));
  EXPECT_THAT(text,
              HasSubstr("DataMessage                     █████                  25 %      0.5"));
}

TEST(ParticipationText, TellsCrossingsInFullAndWorkersOfOperatorsOnly) {
  pb::Participation answer = Answer("operator");
  pb::ParticipationWindow& window = AddWindow(answer, 0, 1'000'000, 1);
  AddRow(window, "parse", 0.75);
  window.mutable_rows(0)->set_crossings(2013);
  window.mutable_rows(0)->set_workers(3);
  window.mutable_rows(0)->set_cp_per_worker(0.25);
  AddRow(window, "[Scheduling]", 0.25);
  const std::string text = TextOf({answer});
  EXPECT_THAT(text, HasSubstr("2,013"));
  EXPECT_THAT(text, Not(HasSubstr("e+")));
  EXPECT_THAT(text, Not(HasSubstr(" 0 %")));
}

TEST(ParticipationText, WeighsWindowsByTheirLengthAndListsThem) {
  pb::Participation answer = Answer("thread");
  AddRow(AddWindow(answer, 0, 300, 1), "a", 1);
  AddRow(AddWindow(answer, 300, 400, 1), "b", 1);
  AddWindow(answer, 400, 500, 0);
  AddRow(AddWindow(answer, 500, 600, 2), "b", 1);
  const std::string text = TextOf({answer});
  EXPECT_THAT(text, StartsWith("a is 60 % of the average critical path, in 4 windows of 600 ns."));
  EXPECT_THAT(text, HasSubstr("\nTHREAD "));
  EXPECT_THAT(text, HasSubstr("2 more windows: --json tells all.\n"));
}

TEST(ParticipationText, TellsHowManyMoreRowsThereAre) {
  pb::Participation answer = Answer("operator");
  pb::ParticipationWindow& window = AddWindow(answer, 0, 10, 1);
  for (const char* name : {"a", "b", "c", "d", ""}) {
    AddRow(window, name, 0.2);
    window.mutable_rows(window.rows_size() - 1)->set_workers(2);
  }
  const std::string text = TextOf({answer});
  EXPECT_THAT(text, HasSubstr("\n(2 more) "));
  EXPECT_THAT(text, HasSubstr("WORKERS"));
  EXPECT_THAT(text, HasSubstr("\n(no label) "));
}

TEST(ParticipationText, IsNoWiderThanATerminal) {
  pb::Participation answer = Answer("operator");
  for (uint64_t i = 0; i < 2; ++i) {
    pb::ParticipationWindow& window = AddWindow(answer, i, i + 1, 1e300);
    window.set_log10_paths(300);
    AddRow(window, std::string(200, 'x'), 1);
    window.mutable_rows(0)->set_workers(1'234);
    window.mutable_rows(0)->set_cp_per_worker(0.0001);
  }
  pb::ParticipationCounter& counter = *answer.add_counters();
  counter.set_name("windows_without_path");
  counter.set_value(3);
  const std::string text = TextOf({answer});
  for (const auto line : absl::StrSplit(text, '\n'))
    EXPECT_LE(TextWidth({line.data(), line.size()}), 80u) << line;
  EXPECT_THAT(text, HasSubstr("about 10^300 paths"));
  EXPECT_THAT(text, HasSubstr("3: Windows through which no path"));
}

TEST(ParticipationText, SaysWhenThereIsNoPathOrNothingAtAll) {
  pb::Participation answer = Answer("activity");
  EXPECT_EQ(TextOf({answer}), "There are no activities.\n");
  AddWindow(answer, 0, 10, 0);
  EXPECT_EQ(TextOf({answer}), "No path of activities leads through these 10 ns.\n");
  answer.mutable_windows(0)->set_paths(1);
  EXPECT_EQ(TextOf({answer}), "No critical path through 10 ns crosses such a row.\n");
}

TEST(CriticalPathText, ListsTheStepsInOrder) {
  pb::CriticalPath path;
  path.set_from_ns(1'000);
  path.set_to_ns(1'060);
  for (uint64_t i = 0; i < 6; ++i) {
    pb::CriticalStep& step = *path.add_steps();
    step.set_from_ns(1'000 + 10 * i);
    step.set_to_ns(1'010 + 10 * i);
    step.set_worker("a");
    step.set_to_worker(i == 1 ? std::string(100, 'b') : "a");
    step.set_activity("Processing");
    step.set_label(std::string(100, 'l'));
  }
  const std::string text = CriticalPathText(path, 4);
  EXPECT_THAT(text, StartsWith("The critical path is 60 ns long and has 6 steps.\n"));
  EXPECT_THAT(text, HasSubstr("\n+10 ns  10 ns  a → bbb"));
  EXPECT_THAT(text, HasSubstr("\n2 more steps: --json tells all.\n"));
  for (const auto line : absl::StrSplit(text, '\n'))
    EXPECT_LE(TextWidth({line.data(), line.size()}), 80u) << line;
  EXPECT_EQ(CriticalPathText({}, 4), "No path of activities leads to the last end.\n");
}

}  // namespace
}  // namespace gordian
