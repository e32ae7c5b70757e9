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

}  // namespace
}  // namespace gordian
