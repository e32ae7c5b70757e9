// SPDX-License-Identifier: Apache-2.0
#include "participation/activity_graph.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "trace/activities/activity_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class GraphParticipation : public ::testing::Test {
 protected:
  void Write(const std::vector<ToldActivity>& activities) {
    auto writer = ActivityWriter::Create(directory_);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const ToldActivity& activity : activities) ASSERT_TRUE((*writer)->Add(activity).ok());
    pb::ActivityGraph header;
    ASSERT_TRUE((*writer)->Finish(header).ok());
  }

  pb::Participation Ask(const ParticipationRequest& request) {
    const auto answers = ParticipationOfGraph(directory_, request);
    EXPECT_TRUE(answers.ok()) << answers.status();
    return answers.ok() ? answers->front() : pb::Participation();
  }
  std::string Refusal(const ParticipationRequest& request) {
    const auto answers = ParticipationOfGraph(directory_, request);
    EXPECT_TRUE(absl::IsInvalidArgument(answers.status())) << answers.status();
    return std::string(answers.status().message());
  }

  TemporaryDirectory folder_;
  std::string directory_ = folder_ / "graph";
};

std::map<std::string, double> Participations(const pb::ParticipationWindow& window) {
  std::map<std::string, double> found;
  for (const pb::ParticipationRow& row : window.rows()) found[row.name()] = row.cp();
  return found;
}

std::map<std::string, double> PathsOfRows(const pb::ParticipationWindow& window) {
  std::map<std::string, double> found;
  for (const pb::ParticipationRow& row : window.rows())
    found[row.name()] = row.crossings() * window.paths();
  return found;
}

// Two workers, and a window of five units in the middle of what they do. Labels are those of the
// figure: (b, g) is a message that is under way when the window begins.
const std::vector<ToldActivity> kFigure2 = {{"w1", 5, "w2", 11, "Data", "bg"},
                                            {"w2", 7, "w2", 11, "Processing", "fg"},
                                            {"w2", 11, "w2", 12, "Processing", "gh"},
                                            {"w2", 12, "w1", 13, "Data", "hd"},
                                            {"w1", 13, "w2", 14, "Data", "di"},
                                            {"w2", 12, "w2", 14, "Processing", "hi"},
                                            {"w2", 14, "w2", 18, "Processing", "ij"},
                                            {"w1", 13, "w1", 18, "Processing", "de"},
                                            {"w1", 5, "w1", 13, "Waiting", "wait", false}};

TEST_F(GraphParticipation, IsThatOfThePapersFigure2) {
  Write(kFigure2);
  const auto answer = Ask({.between = ClockRange{10, 15}, .by = {ParticipationBy::kOperator}});
  ASSERT_EQ(answer.windows_size(), 1);
  const pb::ParticipationWindow& window = answer.windows(0);
  EXPECT_EQ(window.from_ns(), 10u);
  EXPECT_EQ(window.to_ns(), 15u);
  EXPECT_EQ(window.paths(), 6);
  EXPECT_NEAR(Participations(window)["di"], 1.0 / 15, 1e-15);
  EXPECT_NEAR(Participations(window)["gh"], 1.0 / 5, 1e-15);
  EXPECT_NEAR(PathsOfRows(window)["di"], 2, 1e-15);
  EXPECT_NEAR(PathsOfRows(window)["gh"], 6, 1e-15);
}

// Three workers. (a, b) and (c, d) are the longest activities, and each ends in a wait.
TEST_F(GraphParticipation, IsThatOfThePapersFigure3) {
  Write({{"w1", 0, "w1", 1, "Processing", "s1"},
         {"w1", 1, "w2", 2, "Data", "to x"},
         {"w1", 1, "w1", 4, "Processing", "ab"},
         {"w1", 4, "w1", 6, "Waiting", "w1 waits", false},
         {"w3", 0, "w3", 1, "Processing", "s3"},
         {"w3", 1, "w2", 3, "Data", "to u"},
         {"w3", 1, "w3", 4, "Processing", "cd"},
         {"w3", 4, "w3", 5, "Waiting", "w3 waits", false},
         {"w2", 0, "w2", 2, "Processing", "s2x"},
         {"w2", 2, "w2", 3, "Processing", "xu"},
         {"w2", 3, "w2", 4, "Processing", "uv"},
         {"w2", 4, "w2", 5, "Processing", "vz"},
         {"w2", 4, "w3", 5, "Control", "v to w3"},
         {"w3", 5, "w3", 7, "Processing", "e3"},
         {"w2", 5, "w1", 6, "Control", "z to w1"},
         {"w1", 6, "w1", 7, "Processing", "e1"},
         {"w2", 5, "w2", 7, "Processing", "ze2"}});
  const auto answer = Ask({.by = {ParticipationBy::kOperator}});
  const pb::ParticipationWindow& window = answer.windows(0);
  EXPECT_EQ(window.paths(), 9);
  auto paths = PathsOfRows(window);
  EXPECT_NEAR(paths["xu"], 6, 1e-14);
  EXPECT_NEAR(paths["uv"], 9, 1e-14);
  EXPECT_NEAR(paths["vz"], 6, 1e-14);
  EXPECT_EQ(paths.count("ab"), 0u);
  EXPECT_EQ(paths.count("cd"), 0u);
}

TEST_F(GraphParticipation, IsToldByTypesWorkersLabelsAndLinks) {
  Write(kFigure2);
  const auto answers = ParticipationOfGraph(
      directory_,
      {.between = ClockRange{10, 15},
       .by = {ParticipationBy::kActivity, ParticipationBy::kThread, ParticipationBy::kVertex,
              ParticipationBy::kOperator, ParticipationBy::kLink}});
  ASSERT_TRUE(answers.ok()) << answers.status();
  ASSERT_EQ(answers->size(), 5u);
  const auto near = [](double value) { return DoubleNear(value, 1e-14); };
  // Half of the paths begin with the message, two thirds take a further one, one third both.
  EXPECT_EQ((*answers)[0].by(), "activity");
  EXPECT_THAT(
      Participations((*answers)[0].windows(0)),
      UnorderedElementsAre(Pair("Processing", near(21.0 / 30)), Pair("Data", near(9.0 / 30))));
  const auto workers = Participations((*answers)[1].windows(0));
  EXPECT_THAT(workers,
              UnorderedElementsAre(Pair("w1", near(9.0 / 30)), Pair("w2", near(21.0 / 30))));
  EXPECT_THAT(Participations((*answers)[2].windows(0)), workers);
  double sum = 0;
  for (const auto& [label, cp] : Participations((*answers)[3].windows(0))) sum += cp;
  EXPECT_THAT(sum, near(1));
  EXPECT_THAT(
      Participations((*answers)[4].windows(0)),
      UnorderedElementsAre(Pair("w1 → w2", near(5.0 / 30)), Pair("w2 → w1", near(4.0 / 30))));
}

TEST_F(GraphParticipation, OfAVertexIsThatOfItsLanes) {
  Write({{"shop", 0, "shop", 2, "t", ""},
         {"shop", 2, "shop #2", 2, "t", ""},
         {"shop #2", 2, "shop #2", 6, "t", ""},
         {"shop #2", 6, "# #x", 6, "t", ""},
         {"# #x", 6, "# #x", 10, "t", ""}});
  const auto answer = Ask({.by = {ParticipationBy::kVertex}});
  EXPECT_THAT(Participations(answer.windows(0)),
              UnorderedElementsAre(Pair("shop", DoubleNear(0.6, 1e-15)),
                                   Pair("# #x", DoubleNear(0.4, 1e-15))));
}

TEST_F(GraphParticipation, OfAnOperatorIsSharedByItsWorkers) {
  Write({{"w1", 0, "w1", 6, "Processing", "map"},
         {"w2", 0, "w2", 10, "Processing", "map"},
         {"w1", 6, "w1", 10, "Processing", "reduce"},
         {"w3", 5, "w3", 10, "Processing", "idle"}});
  const auto answer = Ask({.by = {ParticipationBy::kOperator}});
  const pb::ParticipationWindow& window = answer.windows(0);
  ASSERT_EQ(window.rows_size(), 2);
  EXPECT_EQ(window.rows(0).name(), "map");
  EXPECT_EQ(window.rows(0).workers(), 2u);
  EXPECT_DOUBLE_EQ(window.rows(0).cp(), 0.8);
  EXPECT_DOUBLE_EQ(window.rows(0).cp_per_worker(), 0.4);
  EXPECT_EQ(window.rows(1).workers(), 1u);
}

// One window after the other, edges across borders and all, is what each is by itself.
TEST_F(GraphParticipation, OfEachWindowIsThatOfThisRangeAlone) {
  std::mt19937 random(1);
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  std::vector<ToldActivity> activities;
  for (uint64_t begin_ns = 100; begin_ns < 40'000; begin_ns += random() % 3) {
    const std::string& worker = names[random() % 4];
    activities.push_back({worker, begin_ns, random() % 3 == 0 ? names[random() % 4] : worker,
                          begin_ns + (random() % 50 == 0 ? random() % 9'000 : random() % 10),
                          names[random() % 4], names[random() % 4], random() % 9 != 0});
  }
  Write(activities);
  const auto answer = Ask({.window_ns = 777, .by = {ParticipationBy::kThread}});
  ASSERT_GT(answer.windows_size(), 50);
  EXPECT_EQ(answer.windows(0).from_ns(), 100u);
  uint64_t with_paths = 0;
  for (int i = 0; i < answer.windows_size(); ++i) {
    const pb::ParticipationWindow& window = answer.windows(i);
    if (i > 0) {
      EXPECT_EQ(window.from_ns(), answer.windows(i - 1).to_ns());
    }
    const auto alone = Ask({.between = ClockRange{window.from_ns(), window.to_ns()},
                            .by = {ParticipationBy::kThread}});
    EXPECT_EQ(alone.windows(0).SerializeAsString(), window.SerializeAsString()) << i;
    double sum = 0;
    for (const auto& [worker, cp] : Participations(window)) sum += cp;
    with_paths += window.paths() > 0 ? 1 : 0;
    EXPECT_NEAR(sum, window.paths() > 0 ? 1 : 0, 1e-12);
  }
  EXPECT_GT(with_paths, 40u);
}

TEST_F(GraphParticipation, TellsTheCriticalPathInSteps) {
  Write({{"a", 0, "a", 3, "Processing", "x"},
         {"a", 3, "a", 5, "Processing", "x"},
         {"a", 5, "b", 7, "Data", ""},
         {"b", 0, "b", 7, "Waiting", "", false},
         {"b", 7, "b", 9, "Processing", "y"},
         {"a", 6, "a", 8, "Processing", "z"},
         {"b", 8, "a", 2, "back", ""}});
  const auto path = CriticalPathOfGraph(directory_, {});
  ASSERT_TRUE(path.ok()) << path.status();
  std::vector<std::string> steps;
  for (const pb::CriticalStep& step : path->steps())
    steps.push_back(absl::StrCat(step.worker(), "@", step.from_ns(), " ", step.to_worker(), "@",
                                 step.to_ns(), " ", step.activity(), " ", step.label()));
  EXPECT_THAT(steps, ElementsAre("a@0 a@5 Processing x", "a@5 b@7 Data ", "b@7 b@9 Processing y"));
  EXPECT_EQ(path->from_ns(), 0u);
  EXPECT_EQ(path->to_ns(), 9u);
  EXPECT_EQ(path->counters_size(), 1);
  const auto part = CriticalPathOfGraph(directory_, {.from_ns = 2, .to_ns = 6});
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->from_ns(), 2u);
  EXPECT_EQ(part->to_ns(), 6u);
  EXPECT_EQ(part->steps_size(), 2);
}

TEST_F(GraphParticipation, CountsRangesFromTheGraphsBeginning) {
  Write({{"w", 1'000, "w", 1'500, "t", "first"}, {"w", 1'500, "w", 2'000, "t", "second"}});
  const auto answer =
      Ask({.from_ns = 250, .to_ns = 5'000, .by = {ParticipationBy::kOperator}}).windows(0);
  EXPECT_EQ(answer.from_ns(), 1'250u);
  EXPECT_EQ(answer.to_ns(), 2'000u);
  EXPECT_NEAR(Participations(answer)["first"], 1.0 / 3, 1e-15);
}

TEST_F(GraphParticipation, CountsWhatIsOdd) {
  Write({{"w", 0, "w", 10, "t", ""},
         {"w", 5, "v", 4, "t", ""},  // back in time
         {"w", 7, "v", 7, "t", ""},  // with the next one a circle
         {"v", 7, "w", 7, "t", ""},
         {"w", 20, "w", 30, "t", ""}});
  const auto answer = Ask({.window_ns = 10});
  std::vector<std::string> counters;
  for (const pb::ParticipationCounter& counter : answer.counters())
    counters.push_back(absl::StrCat(counter.name(), " ", counter.value()));
  EXPECT_THAT(counters, ElementsAre("activities_back_in_time 1", "activities_in_circle 2",
                                    "windows_without_path 1"));
  ASSERT_EQ(answer.windows_size(), 3);
  EXPECT_EQ(answer.windows(1).paths(), 0);
  EXPECT_THAT(answer.windows(1).rows(), IsEmpty());
}

TEST_F(GraphParticipation, OfAnEmptyGraphHasNoWindows) {
  Write({});
  EXPECT_EQ(Ask({}).windows_size(), 0);
  EXPECT_EQ(Ask({.between = ClockRange{0, 5}}).windows(0).paths(), 0);
}

TEST_F(GraphParticipation, RefusesWhatItCannotTellInOneLine) {
  Write(kFigure2);
  EXPECT_THAT(Refusal({.by = {ParticipationBy::kFunction}}), HasSubstr("tells no functions"));
  EXPECT_THAT(Refusal({.by = {ParticipationBy::kPhase}}), HasSubstr("tells no phases"));
  EXPECT_THAT(Refusal({.from_ns = 13}), HasSubstr("only 13 ns long"));
  EXPECT_THAT(Refusal({.from_ns = 5, .to_ns = 5}), HasSubstr("ends before it begins"));
  EXPECT_THAT(Refusal({.between = ClockRange{7, 7}}), HasSubstr("ends before it begins"));
  const auto answers = ParticipationOfGraph(directory_, {}, /*most_activities=*/5);
  EXPECT_TRUE(absl::IsResourceExhausted(answers.status()));
  EXPECT_THAT(std::string(answers.status().message()), HasSubstr("choose a smaller --window"));
}

TEST_F(GraphParticipation, RefusesAMillionWindows) {
  Write({{"w", 0, "w", kMaxActivityNs, "t", ""}});
  EXPECT_THAT(Refusal({.window_ns = 1'000}), HasSubstr("choose a larger --window"));
  EXPECT_EQ(Ask({}).windows(0).paths(), 1);
}

}  // namespace
}  // namespace gordian
