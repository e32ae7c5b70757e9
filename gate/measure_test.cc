// SPDX-License-Identifier: Apache-2.0
#include "gate/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

FindingKey LimitOf(const std::string& kind, const std::vector<std::string>& members) {
  FindingKey key{kind, {}};
  for (const std::string& name : members) key.members.insert({name, "p", "thread"});
  return key;
}

TEST(WaitOf, IsTheWeightPerSecondOfTheRecordingAndItsParts) {
  const pb::Report whole = TestReport("figure1");
  pb::Report part = whole;
  part.mutable_recording()->set_seconds(1);
  for (auto& edge : *part.mutable_edges()) edge.set_weight_s(0.25);
  const auto wait = WaitOf(whole, std::vector<pb::Report>{part, part}, "B", "the disk vda");
  ASSERT_TRUE(wait.ok()) << wait.status();
  EXPECT_DOUBLE_EQ(wait->value, 1);
  EXPECT_EQ(wait->parts, (std::vector<double>{0.25, 0.25}));
}

TEST(WaitOf, AnUnknownNameTellsTheNearest) {
  const auto wait = WaitOf(TestReport("figure1"), {}, "B", "vdb");
  EXPECT_THAT(std::string(wait.status().message()), HasSubstr("called vdb; there are vda"));
}

TEST(ShareOf, IsThatOfTheLargestLimitItIsPartOf) {
  const pb::Report report = TestReport("figure1");
  EXPECT_DOUBLE_EQ(ShareOf(report, {}, "vda")->value, 1);
  EXPECT_DOUBLE_EQ(ShareOf(report, {}, "A")->value, 0);
}

TEST(LimitsOf, LeavesOutWhatLimitsNothing) {
  EXPECT_EQ(LimitsOf(TestReport("figure1")).keys.size(), 1u);
  EXPECT_TRUE(LimitsOf(TestReport("nothing")).keys.empty());
}

TEST(IsSameLimit, AsksForTheKindAndHalfOfTheMembers) {
  const FindingKey knot = LimitOf("knot", {"a", "b"});
  EXPECT_TRUE(IsSameLimit(knot, LimitOf("knot", {"a", "b", "c"})));
  EXPECT_TRUE(IsSameLimit(knot, LimitOf("knot", {"a"})));
  EXPECT_FALSE(IsSameLimit(knot, LimitOf("knot", {"a", "c", "d"})));
  EXPECT_FALSE(IsSameLimit(knot, LimitOf("sink", {"a", "b"})));
}

}  // namespace
}  // namespace gordian
