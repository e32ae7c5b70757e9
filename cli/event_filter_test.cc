// SPDX-License-Identifier: Apache-2.0
#include "cli/event_filter.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using testing::TraceBuilder;
using namespace testing;  // NOLINT: time literals

// How many events of `t` the filter shows.
size_t Shown(const EventFilter& filter, const TraceBuilder& t, uint64_t start_time_ns = 0) {
  size_t count = 0;
  for (const EventBlock& block : t.CpuBlocks()) {
    for (const TraceEvent& event : block.events) {
      if (filter.Shows(event, block, start_time_ns)) ++count;
    }
  }
  return count;
}

TEST(EventFilter, ShowsEverythingUnlessAsked) {
  TraceBuilder t;
  t.Cpu(0).Run(10).Wake(20).Loss(EventKind::kWake, 1).Cpu(kNoCpu).Flow({.flow_id = 1});
  EXPECT_EQ(Shown({}, t), 4u);
}

TEST(EventFilter, CutsFromTheStartOfTheSpanToJustBeforeItsEnd) {
  TraceBuilder t;
  t.Cpu(0);
  for (int time_ms = 1; time_ms <= 5; ++time_ms) t.At(time_ms * 1_ms).Loss(EventKind::kWake, 1);
  EXPECT_EQ(Shown({.from_ns = 2_ms, .to_ns = 4_ms}, t), 2u);
  EXPECT_EQ(Shown({.from_ns = 2_ms}, t, 1_ms), 3u);
  // Events before the start belong to the start.
  EXPECT_EQ(Shown({.to_ns = 1_ns}, t, 3_ms), 3u);
}

TEST(EventFilter, KnowsWhenNothingMoreComes) {
  const EventFilter filter{.to_ns = 2_ms};
  EXPECT_FALSE(filter.IsPast(11_ms, 10_ms));
  EXPECT_TRUE(filter.IsPast(12_ms, 10_ms));
  EXPECT_FALSE(filter.IsPast(1_ms, 10_ms));
  EXPECT_FALSE(EventFilter{}.IsPast(UINT64_MAX - 1, 0));
}

TEST(EventFilter, PicksKindsAndCpus) {
  TraceBuilder t;
  t.Cpu(0).Run(10).Wake(20).Cpu(1).Run(20).Cpu(kNoCpu).Flow({.flow_id = 1});
  EXPECT_EQ(Shown({.kinds = {EventKind::kSwitch}}, t), 2u);
  EXPECT_EQ(Shown({.kinds = {EventKind::kSwitch, EventKind::kFlow}}, t), 3u);
  EXPECT_EQ(Shown({.any_cpu = false, .cpu = 0}, t), 2u);
  EXPECT_EQ(Shown({.any_cpu = false, .cpu = kNoCpu}, t), 1u);
}

TEST(EventFilter, PicksWhatAThreadHasAPartIn) {
  const int32_t tid = 10;
  const auto shows = [&](void (*add)(TraceBuilder&)) {
    TraceBuilder t;
    t.Unchecked().Cpu(0);
    add(t);
    return Shown({.tids = {tid, 99}}, t) == 1;
  };
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.Switch(10, 20, kSleep); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.Switch(20, 10, kSleep); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.Switch(20, 30, kSleep); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.WakeLike({.wakee_tid = 10, .waker_tid = 1}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.WakeLike({.wakee_tid = 1, .waker_tid = 10}); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.WakeLike({.wakee_tid = 1, .waker_tid = 2}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.Issue({.tid = 10}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.Complete({.tid = 10}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.NetSend({.tid = 10}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.NetReceive({.tid = 10}); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.New(1, 10, "child"); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.New(10, 11, "child"); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.New(1, 11, "child"); }));
  EXPECT_TRUE(shows([](TraceBuilder& t) { t.Probe(10, ProbeKind::kSpinBegin); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.SoftirqRan(3, 1); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.Loss(EventKind::kWake, 10); }));
  EXPECT_FALSE(shows([](TraceBuilder& t) { t.Flow({.flow_id = 10}); }));
}

}  // namespace
}  // namespace gordian
