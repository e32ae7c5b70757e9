// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;

// A wakes B, sleeps on the disk, and is woken by it while B runs.
TraceBuilder Timeline() {
  TraceBuilder t;
  t.Thread(10, "A").Thread(20, "B");
  t.At(1_ms).Cpu(0).Run(10);
  t.At(3_ms).Wake(20);
  t.At(4_ms).Cpu(1).Run(20);
  t.At(5_ms).Cpu(0).Block(kDiskSleep);
  t.At(9_ms).Cpu(1).WakeFromBlock(10, t.Disk("vda")).SoftirqRan(4, 20_us, true);
  t.At(9_ms).Cpu(0).Run(10);
  return t;
}

TEST(TraceBuilder, WritesWhatTheTimelineSays) {
  TraceBuilder t = Timeline();
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  EXPECT_THAT(
      SessionTexts(dir / "trace"),
      ElementsAre(
          "0 nocpu task alive tid=10 comm=\"A\" tgid=10 namespaced_tid=10",
          "0 nocpu task alive tid=20 comm=\"B\" tgid=20 namespaced_tid=20",
          "1000000 cpu0 switch next_tid=10",
          "3000000 cpu0 wake wakee_tid=20 waker_tid=10 waker_is_cause thread",
          "4000000 cpu1 switch next_tid=20", "5000000 cpu0 switch prev_tid=10 prev_state_bits=0x2",
          "9000000 cpu0 switch next_tid=10",
          "9000000 cpu1 wake wakee_tid=10 waker_tid=20 softirq vector=4 disk device=0xfe00000",
          "9000000 cpu1 irq_run softirq vector=4 duration_ns=20000 woke"));
}

TEST(TraceBuilder, WritesTheSameInOneBlockOrMany) {
  TraceBuilder t = Timeline();
  t.At(9_ms).PhaseBegin(10, "load", "part 1").Probe(10, ProbeKind::kCount, "items", 3);
  t.At(9_ms).Flow({.flow_id = 7}).New(10, 30, "C").Exit(10);
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "one").ok());
  ASSERT_TRUE(t.WriteSession(dir / "many", 1).ok());
  EXPECT_EQ(SessionTexts(dir / "one"), SessionTexts(dir / "many"));
}

TEST(TraceBuilder, HoldsTheBlocksOfEachCpu) {
  const TraceBuilder t = Timeline();
  const std::vector<EventBlock> blocks = t.CpuBlocks();
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].cpu, 0);
  EXPECT_EQ(blocks[0].events.size(), 4u);
  EXPECT_EQ(blocks[1].events.size(), 3u);
  EXPECT_EQ(t.TaskBlock().events.size(), 2u);
}

TEST(TraceBuilder, CountsTimeFromTheOrigin) {
  TraceBuilder t;
  t.Origin(5_s).At(1_ns).Cpu(0).Run(10);
  EXPECT_EQ(t.CpuBlocks()[0].events[0].time_ns, 5'000'000'001u);
  EXPECT_EQ(t.session().start_time_ns(), 5'000'000'000u);
  EXPECT_EQ(t.session().end_time_ns(), 5'000'000'001u);
}

TEST(TraceBuilder, LetsAWakeComeBeforeTheSwitchOut) {
  TraceBuilder t;
  t.At(1_ms).Cpu(0).Run(10).Cpu(1).Run(20).Wake(10);
  t.At(2_ms).Cpu(0).Block(kSleep);
  t.At(3_ms).Run(10);  // no further wake needed
  EXPECT_EQ(t.CpuBlocks()[0].events.size(), 3u);
}

TEST(TraceBuilder, WritesStacksAndTheirNames) {
  const TempDir dir;
  TraceBuilder t;
  t.At(1_ms).Cpu(0).Run(10);
  const uint32_t stack = t.AddStack({"schedule"}, {{.function = "main"}});
  t.Block().AddStackSample(10, StackMoment::kWait, stack, 3);
  ASSERT_TRUE(t.WriteSession(dir / "trace", 1).ok());
  const auto symbols = ReadSymbols(dir / "trace");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  ASSERT_EQ(symbols->stacks_size(), 1);
  EXPECT_EQ(symbols->text(static_cast<int>(symbols->frames(1).function())), "main");
  const EventBlock block = t.CpuBlocks()[0];
  EXPECT_EQ(block.stacks[0].stack_id, stack);
  EXPECT_EQ(block.events.back().stack_sample.weight_log2, 3);
}

TEST(TraceBuilderDeathTest, RefusesWhatCannotHappen) {
  EXPECT_DEATH(TraceBuilder().At(2_ms).At(1_ms), "time runs backwards");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Run(10).Cpu(1).Run(10), "runs on another cpu");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Run(10).Switch(20, 30, kSleep), "does not run here");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Run(10).Block(kSleep).Run(10), "a wake is missing");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Run(10).Block(kDead).Run(10), "is dead");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Run(10).Block(kDead).WakeFromTimer(10), "is dead");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Wake(10), "nobody runs here");
  EXPECT_DEATH(TraceBuilder().Cpu(0).Thread(10, "A").Run(10).Block().Run(10), "a wake is missing");
}

TEST(TraceBuilder, AllowsItWhereATestAsksForIt) {
  TraceBuilder t;
  t.Unchecked().Cpu(0).Run(10).Cpu(1).Run(10);
  EXPECT_EQ(t.CpuBlocks().size(), 2u);
}

}  // namespace
}  // namespace gordian::testing
