// SPDX-License-Identifier: Apache-2.0
// Small traces with stacks, and the edges that the stacks are laid on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/test_trace.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

constexpr StackMoment kWait = StackMoment::kWait;
constexpr StackMoment kWake = StackMoment::kWake;
constexpr StackMoment kCpu = StackMoment::kCpu;

// stack id -> {samples, estimate in nanoseconds}
using Table = std::map<uint32_t, std::pair<uint64_t, double>>;
Table TableOf(std::span<const StackSum> sums) {
  Table table;
  for (const StackSum& sum : sums) table[sum.stack_id] = {sum.samples, sum.estimate_ns};
  return table;
}

// A waits from 1 to 5 ms and from 6 to 8 ms, each time until B wakes it.
TraceBuilder TwoWaits(bool sample_behind) {
  TraceBuilder t;
  t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
  t.Cpu(0);
  const uint32_t first = t.AddStack({"schedule"}, {{.function = "First"}});
  const uint32_t second = t.AddStack({"schedule"}, {{.function = "Second"}});
  const uint32_t waker = t.AddStack({"try_to_wake_up"}, {{.function = "Wakes"}});
  const auto wait = [&](uint64_t at_ns, uint32_t stack, uint8_t weight) {
    t.At(at_ns).Cpu(0);
    if (!sample_behind) t.AddStackSample(1, kWait, stack, weight).At(at_ns + 200);
    t.Block();
    if (sample_behind) t.At(at_ns + 200).AddStackSample(1, kWait, stack, weight);
  };
  const auto wake = [&](uint64_t at_ns, uint8_t weight) {
    t.At(at_ns).Cpu(1);
    if (!sample_behind) t.AddStackSample(2, kWake, waker, weight).At(at_ns + 200);
    t.Wake(1);
    if (sample_behind) t.At(at_ns + 200).AddStackSample(2, kWake, waker, weight);
    t.At(at_ns + 1000).Cpu(0).Run(1);
  };
  wait(1_ms, first, 0);
  wake(5_ms, 1);
  wait(6_ms, second, 2);
  wake(8_ms, 0);
  t.At(10_ms).Cpu(0).Block().Cpu(1).Block();
  return t;
}

TEST(StackSums, LayAWaitsAndAWakesStackOnTheirEdge) {
  TraceBuilder t = TwoWaits(true);
  const Loaded loaded(t);
  const EntityId a = loaded.Id("A");
  const EntityId b = loaded.Id("B");
  const StackSums sums = loaded.Sums();
  EXPECT_EQ(TableOf(sums.Of(a, b, StackSide::kWaiter)), (Table{{1, {1, 4e6}}, {2, {1, 4 * 2e6}}}));
  EXPECT_EQ(TableOf(sums.Of(a, b, StackSide::kWaker)), (Table{{3, {2, 2 * 4e6 + 2e6}}}));
  EXPECT_EQ(sums.all().size(), 3u);
  EXPECT_EQ(sums.samples_without_wait(), 0u);
}

TEST(StackSums, TakeASampleJustBeforeItsEventAsWell) {
  TraceBuilder t = TwoWaits(false);
  const Loaded loaded(t);
  const StackSums sums = loaded.Sums();
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("A"), loaded.Id("B"), StackSide::kWaiter)),
            (Table{{1, {1, 4e6}}, {2, {1, 4 * 2e6}}}));
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("A"), loaded.Id("B"), StackSide::kWaker)),
            (Table{{3, {2, 2 * 4e6 + 2e6}}}));
}

TEST(StackSums, CountOnlyWhatLiesInTheRange) {
  TraceBuilder t = TwoWaits(true);
  const Loaded loaded(t);
  const StackSums sums = loaded.Sums(2_ms, 7_ms);
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("A"), loaded.Id("B"), StackSide::kWaiter)),
            (Table{{1, {1, 3e6}}, {2, {1, 4 * 1e6}}}));
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("A"), loaded.Id("B"), StackSide::kWaker)),
            (Table{{3, {2, 2 * 3e6 + 1e6}}}));
}

TEST(StackSums, SampleAndEventInDifferentBlocksAreCountedAsApart) {
  TraceBuilder t = TwoWaits(true);
  const Loaded loaded(t, 1);
  EXPECT_TRUE(loaded.Sums().all().empty());
  EXPECT_EQ(loaded.Counter("stack_samples_without_wait"), 4u);
}

TEST(StackSums, AWaitThatWasOverBeforeItBeganHasNoStack) {
  TraceBuilder t;
  t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
  const uint32_t stack = t.AddStack({"schedule"});
  t.At(1_ms).Wake(1).At(1001_us).AddStackSample(2, kWake, stack);
  t.At(2_ms).Cpu(0).Block().At(2001_us).AddStackSample(1, kWait, stack).At(2100_us).Run(1);
  // A later wait without a sample must not get the earlier one's.
  t.At(3_ms).Block().At(4_ms).Cpu(1).Wake(1).Cpu(0).Run(1);
  const Loaded loaded(t);
  const StackSums sums = loaded.Sums();
  EXPECT_TRUE(sums.all().empty());
  EXPECT_EQ(sums.samples_without_wait(), 2u);
}

TEST(StackSums, OfSeveralThreadsWokenAtOnceEachHasItsOwnWake) {
  TraceBuilder t;
  t.Thread(1, "A").Thread(2, "B").Thread(3, "C");
  t.Cpu(0).Run(1).Cpu(1).Run(2).Cpu(2).Run(3);
  const uint32_t stack = t.AddStack({"try_to_wake_up"});
  t.At(1_ms).Cpu(0).Block().Cpu(1).Block();
  t.At(3_ms).Cpu(2).Wake(1).At(3000500_ns).AddStackSample(3, kWake, stack);
  t.At(3002_us).Wake(2).At(3002500_ns).AddStackSample(3, kWake, stack);
  t.At(4_ms).Cpu(0).Run(1).Cpu(1).Run(2);
  const Loaded loaded(t);
  const StackSums sums = loaded.Sums();
  const EntityId c = loaded.Id("C");
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("A"), c, StackSide::kWaker)), (Table{{1, {1, 2e6}}}));
  EXPECT_EQ(TableOf(sums.Of(loaded.Id("B"), c, StackSide::kWaker)), (Table{{1, {1, 2.002e6}}}));
}

TEST(StackSums, WaitsForADiskHaveAWaitersSideOnly) {
  TraceBuilder t;
  const uint32_t disk = t.Disk("vda");
  t.Thread(1, "A").Cpu(0).Run(1);
  const uint32_t stack = t.AddStack({"schedule", "ext4_sync_file"});
  t.At(1_ms).Block(kDiskSleep).At(1001_us).AddStackSample(1, kWait, stack);
  t.At(2_ms).WakeFromBlock(1, disk).Run(1).At(3_ms).Block();
  const Loaded loaded(t);
  const EntityId a = loaded.Id("A");
  const EntityId vda = loaded.Id("vda", EntityKind::kDisk);
  const StackSums sums = loaded.Sums();
  EXPECT_EQ(TableOf(sums.Of(a, vda, StackSide::kWaiter)), (Table{{1, {1, 1e6}}}));
  EXPECT_TRUE(sums.Of(a, vda, StackSide::kWaker).empty());
}

TEST(StackSums, RunningThreadsCountTheSamplingInterval) {
  TraceBuilder t;
  t.session().mutable_options()->set_sample_hz(100);
  t.Thread(1, "A").Cpu(0).Run(1);
  const uint32_t hot = t.AddStack({}, {{.function = "Hash"}});
  const uint32_t cold = t.AddStack({}, {{.function = "Copy"}});
  for (uint64_t i = 1; i <= 10; ++i) t.At(i * 10_ms).AddStackSample(1, kCpu, i <= 8 ? hot : cold);
  t.At(110_ms).Block();
  const Loaded loaded(t);
  const EntityId a = loaded.Id("A");
  EXPECT_EQ(TableOf(loaded.Sums().Of(a, a, StackSide::kRunning)),
            (Table{{1, {8, 80e6}}, {2, {2, 20e6}}}));
}

TEST(StackSums, ShortLivedThreadsBringTheirStacksToTheVirtualOne) {
  TraceBuilder t;
  t.Thread(1, "parent").Thread(2, "server", 2).Cpu(0).Run(1).Cpu(1).Run(2);
  const uint32_t stack = t.AddStack({"schedule"}, {{.function = "Ask"}});
  for (int32_t i = 0; i < 4; ++i) {
    const uint64_t start_ns = static_cast<uint64_t>(i) * 10_ms;
    const int32_t tid = 10 + i;
    t.At(start_ns + 1_ms).Cpu(0).New(1, tid, "job", 1);
    t.Cpu(2).Run(tid).At(start_ns + 2_ms).Block();
    t.At(start_ns + 2_ms + 300).AddStackSample(tid, kWait, stack, 1);
    t.At(start_ns + 6_ms).Cpu(1).Wake(tid).Cpu(2).Run(tid);
    t.At(start_ns + 7_ms).Exit(tid).Block(kDead);
  }
  t.At(50_ms).Cpu(0).Block();
  const Loaded loaded(t);
  const EntityId job = loaded.Id("job", EntityKind::kVirtual);
  const EntityId server = loaded.Id("server");
  EXPECT_EQ(TableOf(loaded.Sums().Of(job, server, StackSide::kWaiter)),
            (Table{{1, {4, 2 * 4 * 4e6}}}));
  EXPECT_EQ(loaded.OwnNs(job, server), 16000000u);
}

// A waits for B at three places, whose waits differ in length and number; each is sampled with
// a probability that changes with time, as the recorder does it.
TEST(StackSums, SampledWaitsEstimateSharesAndTimesWithoutBias) {
  constexpr int kWaits = 100'000;
  constexpr uint64_t kLongestNs[] = {2'000, 20'000, 60'000};
  std::mt19937_64 random(20'260);
  TraceBuilder t;
  t.Thread(1, "A").Thread(2, "B").Cpu(0).Run(1).Cpu(1).Run(2);
  const uint32_t waker = t.AddStack({"try_to_wake_up"});
  std::vector<uint32_t> stacks;
  for (const char* name : {"Short", "Middle", "Long"})
    stacks.push_back(t.AddStack({"schedule"}, {{.function = name}}));
  std::map<uint32_t, double> exact_ns;
  uint64_t now_ns = 1_ms;
  for (int i = 0; i < kWaits; ++i) {
    const auto weight = static_cast<uint8_t>(i / 1000 % 4);
    const auto chosen = [&] { return random() % (uint64_t{1} << weight) == 0; };
    const size_t place = random() % 10 < 6 ? 0 : random() % 3;
    const uint64_t length_ns = 1000 + random() % kLongestNs[place];
    t.At(now_ns).Cpu(0).Block();
    if (chosen()) t.At(now_ns + 300).AddStackSample(1, kWait, stacks[place], weight);
    now_ns += length_ns;
    t.At(now_ns).Cpu(1).Wake(1);
    if (chosen()) t.At(now_ns + 300).AddStackSample(2, kWake, waker, weight);
    t.At(now_ns + 400).Cpu(0).Run(1);
    exact_ns[stacks[place]] += static_cast<double>(length_ns);
    now_ns += 1000 + random() % 500;
  }
  t.At(now_ns).Block();
  const Loaded loaded(t);
  const EntityId a = loaded.Id("A");
  const EntityId b = loaded.Id("B");
  const auto own_ns = static_cast<double>(loaded.OwnNs(a, b));
  const StackSums sums = loaded.Sums();
  double estimate_ns = 0;
  for (const StackSum& sum : sums.Of(a, b, StackSide::kWaiter)) {
    EXPECT_NEAR(sum.estimate_ns / exact_ns[sum.stack_id], 1, 0.05) << sum.stack_id;
    estimate_ns += sum.estimate_ns;
  }
  EXPECT_NEAR(estimate_ns / own_ns, 1, 0.03);
  ASSERT_EQ(sums.Of(a, b, StackSide::kWaker).size(), 1u);
  EXPECT_NEAR(sums.Of(a, b, StackSide::kWaker)[0].estimate_ns / own_ns, 1, 0.03);
  EXPECT_EQ(sums.Of(a, b, StackSide::kWaiter)[0].stack_id, stacks[2]);  // heaviest first

  const StackSums alone = loaded.Sums(0, 3600_s, 1);
  ASSERT_EQ(alone.all().size(), sums.all().size());
  for (size_t i = 0; i < sums.all().size(); ++i) {
    EXPECT_EQ(alone.all()[i].estimate_ns, sums.all()[i].estimate_ns);
  }
}

}  // namespace
}  // namespace gordian::testing
