// SPDX-License-Identifier: Apache-2.0
// Who wrote a line: each sign by itself, on recordings in which all others say nothing.
#include "loglines/line_writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

constexpr uint64_t kMs = 1'000'000;

// A runs from 0 to 10 of each hundred milliseconds, B from 20 to 30, C from 40 to 50.
std::string TakingTurns(uint64_t rounds) {
  std::string scenario = absl::StrCat(
      "end ", rounds * 100 * kMs, "\nthread 101 alpha R\nthread 102 beta R\nthread 103 gamma R\n");
  for (uint64_t round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t from = round * 100 + i * 20;
      absl::StrAppend(&scenario, from * kMs, " 0 switch 0 ", 101 + i, "\n", (from + 10) * kMs,
                      " 0 switch ", 101 + i, " 0 P\n");
    }
  }
  return scenario;
}

class WhoWrote : public ::testing::Test {
 protected:
  SampleLine Line(const std::string& header, uint64_t from_ms, uint64_t to_ms) {
    SampleLine line{.header = header};
    line.windows.push_back({.from_ns = ScenarioTimeline::At(from_ms * kMs),
                            .to_ns = ScenarioTimeline::At(to_ms * kMs)});
    return line;
  }
  LineWriter Writer(const std::string& file, const std::vector<SampleLine>& lines,
                    const SampleLine& asked) {
    const auto writers = writers_.WritersOf(writers_.Learn(file, {0}, lines), asked, 5);
    double sum = 0;
    for (const LineWriter& writer : writers) sum += writer.how_sure;
    EXPECT_NEAR(sum, 1, 1e-9);
    return writers.front();
  }
  std::string NameOf(const LineWriter& writer) {
    return recorded_.timeline().entities()[writer.thread].name;
  }

  const ScenarioTimeline recorded_{TakingTurns(50)};
  const WriteCalls no_calls_ = {};
  const LineWriters writers_{recorded_.timeline(), no_calls_};
};

TEST_F(WhoWrote, TheThreadThatRanThen) {
  const LineWriter writer = Writer("x", {}, Line("", 1022, 1025));
  EXPECT_EQ(NameOf(writer), "beta");
  EXPECT_GT(writer.how_sure, 0.99);
  EXPECT_EQ(writer.runs, 1u);
  EXPECT_EQ(writer.at_ns, ScenarioTimeline::At(1025 * kMs));
}

TEST_F(WhoWrote, WithACoarseStampNobodyIsSure) {
  const LineWriter writer = Writer("x", {}, Line("", 1000, 2000));
  EXPECT_NEAR(writer.how_sure, 1.0 / 3, 0.01);
  EXPECT_EQ(writer.runs, 10u);
}

TEST_F(WhoWrote, TheProcessOfWhichTheFileIsCalled) {
  const LineWriter writer = Writer("gamma.log", {}, Line("", 1000, 2000));
  EXPECT_EQ(NameOf(writer), "gamma");
  EXPECT_GT(writer.how_sure, 0.8);
  EXPECT_TRUE(writer.process_by_name);
}

TEST_F(WhoWrote, TheNumberThatNamedAThreadInAllLines) {
  std::vector<SampleLine> lines;
  for (uint64_t i = 0; i < 20; ++i)
    lines.push_back(
        Line(absl::StrCat("[", 101 + i % 3, "] took ", i, " of 100"), i * 100, i * 100 + 60));
  const LineWriter writer = Writer("x", lines, Line("[102] took 7 of 100", 1000, 2000));
  EXPECT_EQ(NameOf(writer), "beta");
  EXPECT_GT(writer.how_sure, 0.9);
  EXPECT_TRUE(writer.process_named);
}

// Threads that run for a moment only, as after a time-out: a stamp is taken a little before or
// behind it by the recording's clock.
TEST_F(WhoWrote, TheNumberAlsoWhereNoClockMeetsTheShortRuns) {
  std::vector<SampleLine> lines;
  for (uint64_t i = 0; i < 20; ++i)
    lines.push_back(
        Line(absl::StrCat("[", 101 + i % 3, "] timed out"), i * 100 + 12, i * 100 + 18));
  const LineWriter writer = Writer("x", lines, Line("[102] timed out", 1012, 1018));
  EXPECT_EQ(NameOf(writer), "beta");
  EXPECT_GT(writer.how_sure, 0.9);
  EXPECT_TRUE(writer.process_named);
}

TEST_F(WhoWrote, TheNumberOfALargeMachineIsBelievedAtOnce) {
  const ScenarioTimeline recorded(
      "end 100000000\nthread 30001 front R\nthread 31002 front R\nthread 29003 cc R\n"
      "0 0 switch 0 30001\n0 1 switch 0 31002\n0 2 switch 0 29003\n");
  const LineWriters writers(recorded.timeline(), no_calls_);
  const SampleLine line = Line("[31002] timed out", 20, 30);
  const auto found = writers.WritersOf(writers.Learn("x", {0}, {line}), line, 5);
  EXPECT_EQ(recorded.timeline().entities()[found.front().thread].tid, 31002);
  EXPECT_GT(found.front().how_sure, 0.85);
}

TEST_F(WhoWrote, ANumberThatNamesThreadsByChanceSaysNothing) {
  std::vector<SampleLine> lines;
  for (uint64_t i = 0; i < 20; ++i)
    lines.push_back(Line(absl::StrCat("took ", 90 + i, " ms"), i * 100, i * 100 + 60));
  const LineWriter writer = Writer("x", lines, Line("took 103 ms", 1000, 2000));
  EXPECT_FALSE(writer.process_named);
  EXPECT_LT(writer.how_sure, 0.5);
}

TEST_F(WhoWrote, TheProcessThatRanAtAllOfTheFilesLines) {
  std::vector<SampleLine> lines;
  for (uint64_t i = 0; i < 20; ++i) lines.push_back(Line("", i * 100 + 40, i * 100 + 44));
  const LineWriter writer = Writer("x", lines, Line("", 1000, 2000));
  EXPECT_EQ(NameOf(writer), "gamma");
  EXPECT_TRUE(writer.process_by_time);
  EXPECT_GT(writer.how_sure, 0.99);
}

TEST_F(WhoWrote, ManyLinesOfOneMomentTellNoMoreThanOne) {
  const SampleLine asked = Line("", 1000, 2000);
  const LineWriter of_one = Writer("x", {Line("", 40, 44)}, asked);
  const LineWriter of_many = Writer("x", std::vector<SampleLine>(20, Line("", 40, 44)), asked);
  EXPECT_EQ(NameOf(of_many), NameOf(of_one));
  EXPECT_DOUBLE_EQ(of_many.how_sure, of_one.how_sure);
}

TEST_F(WhoWrote, TheThreadWhoseNameIsInTheLine) {
  const ScenarioTimeline recorded(
      "end 100000000\nthread 1 java R\n0 0 switch 0 1\n1 0 new 3 worker-7 of 1 in 1\n"
      "1 0 new 4 worker-70 of 1 in 1\n5 1 switch 0 3\n5 2 switch 0 4\n");
  const LineWriters writers(recorded.timeline(), no_calls_);
  const auto name = [&](const std::string& header) {
    const auto found = writers.WritersOf(writers.Learn("x", {0}, {}), Line(header, 20, 90), 5);
    return recorded.timeline().entities()[found.front().thread].name;
  };
  EXPECT_EQ(name("INFO [worker-7] x"), "worker-7");
  EXPECT_EQ(name("INFO [worker-70] x"), "worker-70");
}

// No clock is right to the nanosecond.
TEST_F(WhoWrote, IfNobodyRanThenTheSignsOfTheFileDecide) {
  const LineWriter writer = Writer("beta.log", {}, Line("", 1012, 1014));
  EXPECT_EQ(NameOf(writer), "beta");
  EXPECT_EQ(writer.runs, 0u);
}

TEST_F(WhoWrote, ThreadsThatDidNotLiveThenAreNone) {
  const ScenarioTimeline recorded(
      "end 100000000\nthread 1 A R\n0 0 switch 0 1\n50000000 0 new 3 T of 1 in 1\n"
      "60000000 1 switch 0 3\n");
  const LineWriters writers(recorded.timeline(), no_calls_);
  const auto found = writers.WritersOf(writers.Learn("x", {0}, {}), Line("", 10, 20), 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(recorded.timeline().entities()[found[0].thread].name, "A");
}

TEST(HeaderOf, IsTheLineWithoutItsStamp) {
  EXPECT_EQ(HeaderOf("02:30:15 [7] x", 0, 8), "         [7] x");
  EXPECT_EQ(HeaderOf(std::string(10'000, 'x'), 0, 0).size(), kMostHeaderBytes);
}

}  // namespace
}  // namespace gordian
