// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/questions_left.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr uint32_t kServer = 0, kBackEnd = 1, kDisk = 2;

class QuestionsLeft : public ::testing::Test {
 protected:
  QuestionsLeft() {
    for (const char* kind : {"thread", "group", "disk"}) report_.add_vertices()->set_kind(kind);
  }
  absl::StatusOr<uint32_t> Of(const Changes& changes) const {
    return OneInHowManyLeft({.timeline = timeline_,
                             .report = report_,
                             .vertex_of_entity = {},
                             .stacks = stacks_,
                             .code = code_},
                            changes);
  }
  static WaitChange OneInSix(uint32_t whom) {
    return {.from = kServer, .to = whom, .keeps_up = false, .keeps_one_in = 6};
  }

  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
};

TEST_F(QuestionsLeft, AreThoseToThreads) {
  EXPECT_EQ(*Of({.waits = {OneInSix(kBackEnd)}}), 6u);
  EXPECT_EQ(*Of({.waits = {OneInSix(kDisk)}}), 0u);
  EXPECT_EQ(*Of({.waits = {{.from = kServer, .to = kBackEnd, .keeps_up = false}}}), 0u);
}

TEST_F(QuestionsLeft, AreAskedByThemselves) {
  EXPECT_FALSE(
      Of({.waits = {OneInSix(kBackEnd)}, .runs = {{.vertex = kServer, .factor = 0.5}}}).ok());
  EXPECT_FALSE(
      Of({.waits = {OneInSix(kBackEnd), OneInSix(kDisk), {.from = kServer, .to = kDisk}}}).ok());
}

// Six questions of 100 µs beside 50 µs of work: 650 µs, then 150.
TEST_F(QuestionsLeft, TakeTheirShareOfTheTime) {
  ReplayResult none;
  none.low = none.expected = none.high = none.with_path.gain = 650.0 / 50;
  const ReplayResult some = WithQuestionsLeft(none, 6);
  EXPECT_NEAR(some.expected, 650.0 / 150, 1e-9);
  EXPECT_NEAR(some.with_path.gain, 650.0 / 150, 1e-9);
  EXPECT_NEAR(some.wait_alone.gain, 1, 1e-9);
}

}  // namespace
}  // namespace gordian
