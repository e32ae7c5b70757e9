// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;

GateRequest Request(const std::vector<std::string>& conditions) {
  GateRequest request;
  for (const std::string& text : conditions) request.conditions.push_back(*ParseCondition(text));
  return request;
}

MeasuredRecording Measured(double value, const std::map<std::string, Sample>& counts = {}) {
  MeasuredRecording recording;
  recording.conditions.push_back({.sample = {.value = value, .parts = {}},
                                  .what = "wakes of A",
                                  .unknown_name = absl::OkStatus()});
  recording.counts = counts;
  return recording;
}

std::vector<MeasuredRecording> MeasuredSide(const std::vector<double>& values) {
  std::vector<MeasuredRecording> side;
  for (const double value : values) side.push_back(Measured(value));
  return side;
}

TEST(JudgeGate, FailsIfAConditionHoldsAndSaysByHowMuch) {
  const auto gate = JudgeGate(Request({"throughput(wakes A)<-5%"}), MeasuredSide({1000, 1010, 990}),
                              MeasuredSide({800, 810, 790}));
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_EQ(gate->outcome(), "failed");
  EXPECT_TRUE(gate->fails());
  EXPECT_EQ(gate->conditions(0).outcome(), "holds");
  EXPECT_EQ(gate->conditions(0).text(),
            "wakes of A: 1000/s -> 800/s, -20.0 % (-21.8 % to -18.2 %), by 3 and 3 recordings");
  EXPECT_EQ(gate->conditions(0).unit(), "1/s");
}

TEST(JudgeGate, UndecidedFailsOnlyIfItIsStrict) {
  GateRequest request = Request({"throughput(wakes A)<-5%"});
  const auto before = MeasuredSide({1000, 1010}), after = MeasuredSide({800, 810});
  const auto gate = JudgeGate(request, before, after);
  EXPECT_EQ(gate->outcome(), "undecided");
  EXPECT_FALSE(gate->fails());
  EXPECT_THAT(gate->conditions(0).text(), HasSubstr("it takes at least 3 recordings a side"));
  EXPECT_EQ(gate->conditions(0).method(), "none");
  request.strict = true;
  EXPECT_TRUE(JudgeGate(request, before, after)->fails());
}

TEST(JudgeGate, AThroughputWithoutANameIsTheOneCountThatAllHave) {
  const auto count = [](double value) { return Sample{.value = value, .parts = {}}; };
  const auto recordings = [&](double value) {
    return std::vector<MeasuredRecording>(
        3, Measured(0, {{"probe done", count(value)}, {"probe rare", count(1)}}));
  };
  std::vector<MeasuredRecording> before = recordings(100), after = recordings(50);
  const GateRequest request = Request({"throughput<-5%"});
  EXPECT_THAT(
      std::string(JudgeGate(request, before, after).status().message()),
      HasSubstr("count 2 things: choose one with --progress, as 'probe done', 'probe rare'"));
  after[1].counts.erase("probe rare");
  const auto gate = JudgeGate(request, before, after);
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_EQ(gate->conditions(0).what(), "probe done");
  EXPECT_EQ(gate->outcome(), "failed");
  after[0].counts.clear();
  EXPECT_THAT(std::string(JudgeGate(request, before, after).status().message()),
              HasSubstr("record with --count-call NAME"));
}

TEST(JudgeGate, ANameThatNoRecordingHasIsAMistake) {
  const GateRequest request = Request({"wait(A->B)>+10%"});
  std::vector<MeasuredRecording> before = MeasuredSide({0, 0, 0});
  std::vector<MeasuredRecording> after = MeasuredSide({0.5, 0.5, 0.6});
  for (MeasuredRecording& recording : before)
    recording.conditions[0].unknown_name = absl::NotFoundError("nothing is called B");
  const auto gate = JudgeGate(request, before, after);
  EXPECT_EQ(gate->outcome(), "failed");
  EXPECT_THAT(gate->conditions(0).text(), HasSubstr("0 s/s -> 0.533 s/s, from nothing"));
  for (MeasuredRecording& recording : after)
    recording.conditions[0].unknown_name = absl::NotFoundError("nothing is called B");
  EXPECT_EQ(JudgeGate(request, before, after).status().message(), "nothing is called B");
}

TEST(JudgeGate, WhatNeverCountedCannotFall) {
  const auto gate = JudgeGate(Request({"throughput(probe typo)<-5%"}), MeasuredSide({0, 0, 0}),
                              MeasuredSide({0, 0, 0}));
  EXPECT_THAT(std::string(gate.status().message()), HasSubstr("no recording before the change"));
}

TEST(NeedsParts, OnlyIfRecordingsAreTooFew) {
  EXPECT_TRUE(NeedsParts(Request({"new-limit"}), 1, 1));
  EXPECT_TRUE(NeedsParts(Request({"wait(A->B)>+10%"}), 2, 2));
  EXPECT_FALSE(NeedsParts(Request({"wait(A->B)>+10%"}), 3, 3));
  EXPECT_FALSE(NeedsParts(Request({"throughput<-5%"}), 1, 1));
  EXPECT_TRUE(NeedsParts(Request({"share(A)>30%"}), 9, 1));
  EXPECT_FALSE(NeedsParts(Request({"share(A)>30%"}), 1, 3));
}

}  // namespace
}  // namespace gordian
