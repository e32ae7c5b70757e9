// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_change.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr double kUsualAlarms = 0.05;

LimitsFound Limits(const std::vector<std::string>& names) {
  LimitsFound limits;
  for (const std::string& name : names) limits.keys.push_back({"knot", {{name, "p", "thread"}}});
  if (!names.empty()) limits.first_title = names.front() + " is the limit.";
  return limits;
}

// A recording with these limits, and with those in its parts.
MeasuredRecording Recorded(const std::vector<std::string>& names,
                           const std::vector<std::vector<std::string>>& parts = {}) {
  MeasuredRecording recording;
  recording.limits = Limits(names);
  for (const auto& part : parts) recording.limits_of_parts.push_back(Limits(part));
  return recording;
}

LimitAnswer Ask(const std::vector<MeasuredRecording>& before,
                const std::vector<MeasuredRecording>& after) {
  return LimitOnlyThere(before, after, kUsualAlarms);
}

TEST(LimitOnlyThere, ThreeRecordingsEachThatAgreeDecide) {
  const MeasuredRecording a = Recorded({"a"}), b = Recorded({"b", "a"});
  const LimitAnswer answer = Ask({a, a, a}, {b, b, b});
  EXPECT_EQ(answer.outcome, Outcome::kHolds);
  EXPECT_EQ(answer.title, "b is the limit.");
  EXPECT_EQ(Ask({a, a, a}, {a, a, a}).outcome, Outcome::kHoldsNot);
}

TEST(LimitOnlyThere, ALimitThatHadALowerRankIsNotNew) {
  const MeasuredRecording ab = Recorded({"a", "b"}), ba = Recorded({"b", "a"});
  EXPECT_EQ(Ask({ab, ab, ab}, {ba, ba, ba}).outcome, Outcome::kHoldsNot);
}

TEST(LimitOnlyThere, ALimitOfTwoRecordingsInThreeIsUndecided) {
  const MeasuredRecording a = Recorded({"a"}), b = Recorded({"b"});
  const LimitAnswer answer = Ask({a, a, a}, {b, a, b});
  EXPECT_EQ(answer.outcome, Outcome::kUndecided);
  EXPECT_EQ(answer.recordings_needed, 6u);
  EXPECT_EQ(Ask({a, a, a}, {a, b, a}).outcome, Outcome::kHoldsNot);
}

TEST(LimitOnlyThere, WithoutALimitThereIsNone) {
  const MeasuredRecording none = Recorded({}), a = Recorded({"a"});
  EXPECT_EQ(Ask({a, a, a}, {none, none, none}).outcome, Outcome::kHoldsNot);
  EXPECT_EQ(Ask({none, none, none}, {a, a, a}).outcome, Outcome::kHolds);
}

TEST(LimitOnlyThere, OneRecordingASideIsDecidedByItsParts) {
  const std::vector<std::vector<std::string>> all_a(16, {"a"}), all_b(16, {"b"});
  std::vector<std::vector<std::string>> mixed = all_a;
  for (size_t i = 0; i < 16; i += 2) mixed[i] = {"b"};
  const MeasuredRecording a = Recorded({"a"}, all_a);
  const LimitAnswer answer = Ask({a}, {Recorded({"b"}, all_b)});
  EXPECT_EQ(answer.outcome, Outcome::kHolds);
  EXPECT_EQ(answer.method, Method::kParts);
  EXPECT_EQ(Ask({a}, {Recorded({"b"}, mixed)}).outcome, Outcome::kUndecided);
  EXPECT_EQ(Ask({a}, {Recorded({"b"})}).outcome, Outcome::kUndecided);
}

}  // namespace
}  // namespace gordian
