// SPDX-License-Identifier: Apache-2.0
#include "gate/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;

FailCondition Parsed(std::string_view text) {
  const auto condition = ParseCondition(text);
  EXPECT_TRUE(condition.ok()) << condition.status();
  return condition.ok() ? *condition : FailCondition{};
}

std::string Refusal(std::string_view text) {
  const auto condition = ParseCondition(text);
  EXPECT_FALSE(condition.ok()) << text;
  return std::string(condition.status().message());
}

TEST(ParseCondition, AFallOfThroughputIsRelativeToBefore) {
  const FailCondition condition = Parsed("throughput<-5%");
  EXPECT_EQ(condition.metric, Metric::kThroughput);
  EXPECT_EQ(condition.who, "");
  EXPECT_FALSE(condition.above);
  EXPECT_EQ(condition.kind, AmountKind::kRelative);
  EXPECT_DOUBLE_EQ(condition.amount, -0.05);
}

TEST(ParseCondition, BlanksMayStandBetweenAllParts) {
  FailCondition wide = Parsed("  wait( A  ->  the disk vda ) > + 10 %  ");
  wide.text = "wait(A->the disk vda)>+10%";
  EXPECT_EQ(wide, Parsed("wait(A->the disk vda)>+10%"));
}

TEST(ParseCondition, NamesMayHoldParenthesesAndComparisons) {
  const FailCondition condition = Parsed("wait(worker-* (16 threads)->a<b)>200ms");
  EXPECT_EQ(condition.who, "worker-* (16 threads)");
  EXPECT_EQ(condition.whom, "a<b");
  EXPECT_EQ(condition.kind, AmountKind::kLevel);
  EXPECT_DOUBLE_EQ(condition.amount, 0.2);
}

TEST(ParseCondition, ASignMakesAChangeAndNoSignALevel) {
  EXPECT_EQ(Parsed("runtime>+2s").kind, AmountKind::kDifference);
  EXPECT_EQ(Parsed("runtime>2s").kind, AmountKind::kLevel);
  EXPECT_EQ(Parsed("share(A)>30%").kind, AmountKind::kLevel);
  EXPECT_EQ(Parsed("share(A)>+30%").kind, AmountKind::kRelative);
  EXPECT_DOUBLE_EQ(Parsed("share(A)>+5pp").amount, 0.05);
  EXPECT_DOUBLE_EQ(Parsed("throughput<1500/s").amount, 1500);
  EXPECT_DOUBLE_EQ(Parsed("throughput(syscall accept4)<-20/s").amount, -20);
}

TEST(ParseCondition, LimitsHaveNoAmount) {
  EXPECT_EQ(Parsed("new-limit").metric, Metric::kNewLimit);
  EXPECT_EQ(Parsed("limit-gone").metric, Metric::kLimitGone);
  EXPECT_THAT(Refusal("new-limit>5%"), HasSubstr("at character 10"));
}

TEST(ParseCondition, ARefusalIsOneLineWithThePlace) {
  EXPECT_EQ(Refusal("wait(A-B)>+10%"),
            "--fail-if 'wait(A-B)>+10%', at character 6: name who waits and for whom, as in "
            "'wait(A->B)>+10%'");
  EXPECT_THAT(Refusal("throughput"), HasSubstr("at its end: give < or >"));
  EXPECT_THAT(Refusal("throughput<5%"), HasSubstr("give +5% or -5%"));
  EXPECT_THAT(Refusal("throughput<-5"), HasSubstr("at its end: a unit is missing"));
  EXPECT_THAT(Refusal("throughput<-5ms"), HasSubstr("at character 14: give a change as -5%"));
  EXPECT_THAT(Refusal("throughput<-%"), HasSubstr("at character 13: a number is missing"));
  EXPECT_THAT(Refusal("throughput<-100%"), HasSubstr("nothing can fall by 100%"));
  EXPECT_THAT(Refusal("wait>+10%"), HasSubstr("in parentheses"));
  EXPECT_THAT(Refusal("wait(A->B>+10%"), HasSubstr("a ) is missing"));
  EXPECT_THAT(Refusal("wait(->B)>+10%"), HasSubstr("a name is missing"));
  EXPECT_THAT(Refusal("wiat(A->B)>+10%"), HasSubstr("at character 1: give new-limit"));
  EXPECT_THAT(Refusal(""), HasSubstr("at its end: give new-limit"));
  EXPECT_THAT(Refusal("share(A)>30pp"), HasSubstr("give +5pp"));
  EXPECT_THAT(Refusal("throughput<-1e3%"), HasSubstr("give a change as"));
  EXPECT_THAT(Refusal("a\nb"), ::testing::Not(HasSubstr("\n")));
  EXPECT_THAT(Refusal(std::string(5000, 'x')), HasSubstr("at most 1000 characters"));
}

}  // namespace
}  // namespace gordian
