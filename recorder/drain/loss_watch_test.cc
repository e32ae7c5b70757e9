// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/loss_watch.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(LossWatch, SaysNothingWhileNothingIsLost) {
  LossWatch watch(2, 100);
  gd_cpu counters{};
  EventBlock block;
  watch.Check(0, counters, 200, block);
  EXPECT_TRUE(block.empty());
  EXPECT_EQ(watch.total(), 0u);
}

TEST(LossWatch, TellsEachLossOnceWithTheIntervalItHappenedIn) {
  LossWatch watch(2, 100);
  gd_cpu counters{};
  EventBlock block;
  counters.lost[GD_WAKE] = 5;
  watch.Check(1, counters, 200, block);
  counters.lost[GD_WAKE] = 7;
  counters.lost[GD_SWITCH] = 1;
  watch.Check(1, counters, 350, block);
  watch.Check(1, counters, 400, block);

  ASSERT_EQ(block.events.size(), 3u);
  EXPECT_EQ(block.events[0].time_ns, 200u);
  EXPECT_EQ(block.events[0].loss.duration_ns, 100u);
  EXPECT_EQ(block.events[0].loss.kind, EventKind::kWake);
  EXPECT_EQ(block.events[0].loss.count, 5u);
  EXPECT_EQ(block.events[1].loss.kind, EventKind::kSwitch);
  EXPECT_EQ(block.events[1].loss.count, 1u);
  EXPECT_EQ(block.events[2].loss.count, 2u);
  EXPECT_EQ(block.events[2].loss.duration_ns, 150u);
  EXPECT_EQ(watch.total(), 8u);
}

TEST(LossWatch, KeepsCpusApart) {
  LossWatch watch(2, 0);
  gd_cpu counters{};
  counters.lost[GD_WAKE] = 5;
  EventBlock block;
  watch.Check(0, counters, 10, block);
  watch.Check(1, counters, 10, block);
  ASSERT_EQ(block.events.size(), 2u);
  EXPECT_EQ(block.events[0].cpu, 0);
  EXPECT_EQ(block.events[1].cpu, 1);
}

TEST(LossWatch, TellsWhatTheKernelLeftOutAsLosses) {
  LossWatch watch(1, 100);
  gd_cpu counters{};
  counters.lost[GD_WAKE] = 1;
  counters.left_out[GD_WAKE] = 2;  // by a program that counts on each CPU
  EventBlock block;
  watch.Check(0, counters, 200, block);
  ASSERT_EQ(block.events.size(), 1u);
  EXPECT_EQ(block.events[0].loss.count, 3u);

  std::vector<LeftOut> left_out = {
      {.program = "kprobe_wake", .kind = GD_WAKE, .count = 2, .told_by_cpu = true},
      {.program = "fentry_wake", .kind = GD_WAKE, .count = 5},
      {.program = "tracepoint_wake", .kind = GD_WAKE, .count = 1},
      {.program = "raw_hrtimer_entry", .count = 9}};
  EventBlock of_programs;
  watch.CheckPrograms(left_out, 200, of_programs);
  left_out[1].count = 6;
  watch.CheckPrograms(left_out, 300, of_programs);
  watch.CheckPrograms(left_out, 400, of_programs);
  ASSERT_EQ(of_programs.events.size(), 2u);
  EXPECT_EQ(of_programs.events[0].cpu, kNoCpu);
  EXPECT_EQ(of_programs.events[0].loss.kind, EventKind::kWake);
  EXPECT_EQ(of_programs.events[0].loss.count, 6u);
  EXPECT_EQ(of_programs.events[1].loss.count, 1u);
  EXPECT_EQ(of_programs.events[1].loss.duration_ns, 100u);
  EXPECT_EQ(watch.total(), 10u);
}

TEST(LossWatch, TellsRecordsThatWereBegunAndNeverFinished) {
  LossWatch watch(1, 0);
  gd_cpu counters{};
  counters.produced[GD_SWITCH] = 10;
  counters.produced[GD_WAKE] = 7;
  counters.lost[GD_WAKE] = 2;
  counters.left_out[GD_WAKE] = 4;  // never begun: not among those produced
  RecordCounts taken{};
  taken[GD_SWITCH] = 10;
  taken[GD_WAKE] = 4;
  EventBlock block;
  watch.Check(0, counters, 100, block);
  watch.CheckEnd(0, counters, taken, 200, block);
  ASSERT_EQ(block.events.size(), 2u);
  EXPECT_EQ(block.events[1].loss.kind, EventKind::kWake);
  EXPECT_EQ(block.events[1].loss.count, 1u);
  EXPECT_EQ(watch.unfinished(), 1u);
  watch.Check(0, counters, 300, block);
  EXPECT_EQ(block.events.size(), 2u);
}

}  // namespace
}  // namespace gordian
