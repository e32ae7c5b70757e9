// SPDX-License-Identifier: Apache-2.0
// What counts as the throughput.
#include "whatif/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

// Quick gains ten thirds of its cycle of 10 ms, slow nothing. One after the other they would take
// as long as slow takes alone.
TEST_F(Replays, WhatOneStreamGainsIsNotLostInAnotherThatGoesOnAsBefore) {
  Load(TwoSleepersTrace(200));
  ReplayOptions options = {.changes = {.timers = {{.vertex = Vertex("quick"), .factor = 2.0 / 9}}}};
  for (const std::string name : {"quick", "slow"}) {
    for (uint64_t round = 1; round < 200; ++round)
      options.marks.push_back({Vertex(name), round * 10_ms, name == "quick" ? 0U : 1U});
  }
  const auto apart = ReplayTimeline(*timeline_, vertices_, options);
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_NEAR(apart->expected, (10.0 / 3 + 1) / 2, 0.05);
  for (ProgressMark& mark : options.marks) mark.stream = 0;
  const auto as_one = ReplayTimeline(*timeline_, vertices_, options);
  ASSERT_TRUE(as_one.ok()) << as_one.status();
  EXPECT_NEAR(as_one->expected, 1, 0.02);
}

TEST_F(Replays, ProgressForClientsIsWhatThoseGetThatAskInTurn) {
  Load(ReadLogTrace(100));
  std::vector<uint8_t> is_target(timeline_->thread_count());
  is_target[Vertex("server")] = 1;
  const std::vector<ProgressMark> marks = ClientMarks(*timeline_, is_target);
  EXPECT_NEAR(static_cast<double>(marks.size()), 100, 1);
  for (const ProgressMark& mark : marks) EXPECT_EQ(mark.thread, Vertex("client"));
}

TEST(Streams, WithFewMarksBecomeAPartOfTheOneWithMost) {
  std::vector<ProgressMark> marks(100, {.thread = 1, .time_ns = 1, .stream = 7});
  marks.resize(105, {.thread = 2, .time_ns = 2, .stream = 3});
  marks.resize(155, {.thread = 3, .time_ns = 3, .stream = 9});
  JoinSmallStreams(marks);
  EXPECT_EQ(marks[0].stream, 0);
  EXPECT_EQ(marks[102].stream, 0) << "five marks tell no rate";
  EXPECT_EQ(marks[110].stream, 1);
}

TEST_F(Replays, ProgressOfAThreadThatWaitsMoreThanItWorksIsItsWork) {
  Load(UnfairLockTrace(200), /*alike_by_name=*/true);
  const std::vector<uint32_t> worker = {Vertex("worker")};
  // One for each five-hundredth of 800 ms; there are 400 waits.
  const auto marks = CycleMarks(*timeline_, vertices_, worker);
  EXPECT_NEAR(static_cast<double>(marks.size()), 500, 5);
  const EntityId first = marks.front().thread;
  EXPECT_NEAR(static_cast<double>(std::count_if(
                  marks.begin(), marks.end(),
                  [first](const ProgressMark& mark) { return mark.thread == first; })),
              375, 5);
}

TEST_F(Replays, RefuseARateOfNothing) {
  Load(Figure1Trace(3));
  const auto result =
      ReplayTimeline(*timeline_, vertices_, {.marks = WakeMarks(*timeline_, vertices_, 0)});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(Replays, ProgressOfADiskIsItsRequests) {
  Load(Figure1Trace(100));
  EXPECT_EQ(DiskMarks(*timeline_, kNobody).size(), 100);
  EXPECT_EQ(DiskMarks(*timeline_, Vertex("vda")).size(), 100);
  EXPECT_EQ(DiskMarks(*timeline_, Vertex("A")).size(), 0);
  EXPECT_EQ(WakeMarks(*timeline_, vertices_, Vertex("A")).size(), 100);
}

TEST_F(Replays, ThreadWithoutWaitsMakesProgressByRunning) {
  Load(StarvedTrace(100));
  const std::vector<uint32_t> vertex = {Vertex("hog 1")};
  EXPECT_NEAR(static_cast<double>(CycleMarks(*timeline_, vertices_, vertex).size()), 250, 5);
}

}  // namespace
}  // namespace gordian::testing
