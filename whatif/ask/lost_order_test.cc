// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/lost_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace gordian {
namespace {

pb::WhatIf AnswerWith(double alone, double with_path, const std::string& change = "in-flight") {
  pb::WhatIf answer;
  answer.add_changes()->set_kind(change);
  answer.mutable_wait_alone()->set_gain(alone);
  answer.mutable_with_path()->set_gain(with_path);
  answer.set_low(std::min(alone, with_path));
  answer.set_expected(std::sqrt(alone * with_path));
  answer.set_high(std::max(alone, with_path));
  return answer;
}

TEST(LostOrder, LeavesTheReadingsThatAreNoLoss) {
  pb::WhatIf answer = AnswerWith(1.6, 0.2);
  LeaveLossesOut(answer);
  EXPECT_DOUBLE_EQ(answer.expected(), 1.6);
  EXPECT_EQ(answer.low(), 0.8);
  EXPECT_EQ(answer.high(), 1.6);
  EXPECT_NEAR(answer.lost_gain(), 0.57, 0.01);
  EXPECT_FALSE(HasLostItsOrder(answer));
}

TEST(LostOrder, LeavesNothingIfAllReadingsAreLosses) {
  pb::WhatIf answer = AnswerWith(0.5, 0.2);
  LeaveLossesOut(answer);
  EXPECT_TRUE(HasLostItsOrder(answer));
  answer =
      AnswerWith(1.6, 0.2);  // what is asked for keeps the calls from waiting: it has no reading
  answer.set_calls_gone(true);
  LeaveLossesOut(answer);
  EXPECT_TRUE(HasLostItsOrder(answer));
}

TEST(LostOrder, IsNotSeenInASmallLoss) {
  pb::WhatIf answer = AnswerWith(0.92, 0.9);
  LeaveLossesOut(answer);
  EXPECT_EQ(answer.expected(), 1);
  EXPECT_FALSE(HasLostItsOrder(answer));
}

void LimitByCpus(pb::WhatIfReading& reading, const std::string& who, double share) {
  reading.set_limit_kind("cpus");
  reading.set_limit_name(who);
  reading.set_limit_share(share);
}

TEST(LostOrder, IsNotThatOfThreadsInEachOthersWayAtTheCpus) {
  pb::WhatIf answer = AnswerWith(0.5, 0.4);
  LimitByCpus(*answer.mutable_wait_alone(), "", 0.95);
  LimitByCpus(*answer.mutable_with_path(), "server", 0.7);
  LeaveLossesOut(answer);
  EXPECT_EQ(answer.lost_gain(), 0);
  EXPECT_LT(answer.expected(), 0.5);
  EXPECT_FALSE(HasLostItsOrder(answer));
}

TEST(LostOrder, IsThatOfThreadsThatHardlyWaitForCpus) {
  pb::WhatIf answer = AnswerWith(1.7, 0.2);
  LimitByCpus(*answer.mutable_wait_alone(), "server", 0.9);
  LimitByCpus(*answer.mutable_with_path(), "server", 0.07);
  LeaveLossesOut(answer);
  EXPECT_DOUBLE_EQ(answer.expected(), 1.7);
}

TEST(LostOrder, IsNotThatOfAChangeThatTakes) {
  pb::WhatIf answer = AnswerWith(0.5, 0.4, "run");
  answer.mutable_changes(0)->set_factor(2);
  LeaveLossesOut(answer);
  EXPECT_EQ(answer.lost_gain(), 0);
}

}  // namespace
}  // namespace gordian
