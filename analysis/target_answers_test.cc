// SPDX-License-Identifier: Apache-2.0
#include "analysis/target_answers.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr EntityId kHandler = 0, kStore = 1;

class AnswersOfATarget : public ::testing::Test {
 protected:
  void Add(uint16_t port, EntityId thread, uint64_t from_ns, uint64_t to_ns) {
    FlowTuple tuple;
    tuple.destination_port = port;
    found_.connections.push_back({.to_server = tuple, .is_served = true});
    found_.requests.push_back({.connection = static_cast<uint32_t>(found_.connections.size() - 1),
                               .thread = thread,
                               .start_ns = from_ns,
                               .answer_ns = to_ns});
  }
  TargetAnswers Answers() const {
    const std::vector<uint8_t> is_target = {1, 0};
    return AnswersOfTarget(timeline_, found_, is_target);
  }
  Timeline timeline_;
  FoundRequests found_;
};

TEST_F(AnswersOfATarget, AreThoseOfThePortWithMostOfItsTime) {
  Add(80, kHandler, 100, 900);
  Add(81, kHandler, 100, 110);
  Add(81, kHandler, 200, 210);
  Add(90, kStore, 0, 5000);
  const TargetAnswers answers = Answers();
  EXPECT_EQ(answers.what, "answers of port 80");
  ASSERT_EQ(answers.marks.size(), 1u);
  EXPECT_EQ(answers.marks[0].thread, kHandler);
  EXPECT_EQ(answers.marks[0].time_ns, 900u);
}

TEST_F(AnswersOfATarget, OfPartsOfTheTimeAreNoRate) {
  Add(80, kHandler, 100, 900);
  found_.stretches = {{0, 1000}};
  EXPECT_TRUE(Answers().marks.empty());
}

TEST_F(AnswersOfATarget, OfOthersAreNone) {
  Add(90, kStore, 0, 5000);
  EXPECT_TRUE(Answers().marks.empty());
}

}  // namespace
}  // namespace gordian
