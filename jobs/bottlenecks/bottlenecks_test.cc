// SPDX-License-Identifier: Apache-2.0
#include "jobs/bottlenecks/bottlenecks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Outcome {
  Job job;
  Attribution attribution;
  Bottlenecks bottlenecks;
};

Outcome Find(const JobBuilder& builder, BottleneckOptions options = {},
             const std::vector<MeasuredUse>& measured = {}) {
  Outcome outcome;
  outcome.job = builder.Build();
  absl::StatusOr<Attribution> attribution = Attribute(outcome.job, {}, measured);
  EXPECT_TRUE(attribution.ok()) << attribution.status();
  if (!attribution.ok()) return outcome;
  outcome.attribution = *std::move(attribution);
  outcome.bottlenecks = FindBottlenecks(outcome.job, outcome.attribution, options, measured);
  return outcome;
}

std::vector<Range> TimesMs(const Outcome& outcome, PhaseId phase, BottleneckKind kind) {
  std::vector<Range> times_ms;
  for (const Held& held : outcome.bottlenecks.held) {
    if (held.phase != phase || held.kind != kind) continue;
    for (const Range& range : held.times_ns)
      times_ms.push_back({range.begin / 1'000'000, range.end / 1'000'000});
  }
  return times_ms;
}

// Job with tasks side by side.
class BottlenecksTest : public ::testing::Test {
 protected:
  BottlenecksTest() {
    root_ = builder_.Type("Job");
    task_ = builder_.Type("Task", root_, PhaseRepeat::kConcurrent);
    cpu_ = builder_.Consumable("cpu", 4);
    builder_.Add(root_, kNoId, 0, 200);
  }
  JobBuilder builder_;
  PhaseTypeId root_ = 0;
  PhaseTypeId task_ = 0;
  ResourceId cpu_ = 0;
};

TEST_F(BottlenecksTest, AFullResourceHoldsThoseWhoUseIt) {
  const PhaseTypeId idle = builder_.Type("Idle", root_, PhaseRepeat::kConcurrent);
  builder_.Rule(idle, cpu_, RuleKind::kNone);
  builder_.Add(task_, 0, 0, 200, "a");
  builder_.Add(task_, 0, 0, 100, "b");
  builder_.Add(idle, 0, 0, 200);
  builder_.Sample(cpu_, 0, 50, 1);
  builder_.Sample(cpu_, 50, 150, 4);
  builder_.Sample(cpu_, 150, 200, 3);
  const Outcome outcome = Find(builder_);
  EXPECT_THAT(TimesMs(outcome, 1, BottleneckKind::kSaturated), ElementsAre(Range{50, 150}));
  EXPECT_THAT(TimesMs(outcome, 2, BottleneckKind::kSaturated), ElementsAre(Range{50, 100}));
  EXPECT_THAT(TimesMs(outcome, 3, BottleneckKind::kSaturated), IsEmpty());
  ASSERT_FALSE(outcome.bottlenecks.by_phase.empty());
  const PhaseBottleneck& root = outcome.bottlenecks.by_phase[0];
  EXPECT_EQ(root.phase, 0U);
  EXPECT_EQ(root.any_ns, MsToNs(100));
  EXPECT_EQ(root.summed_ns, MsToNs(150));
  EXPECT_NEAR(root.share, 0.5, 1e-9);
  ASSERT_EQ(outcome.bottlenecks.by_type.size(), 2U);
  const TypeBottleneck& tasks = outcome.bottlenecks.by_type[1];
  EXPECT_EQ(tasks.type, task_);
  EXPECT_EQ(tasks.phases_held, 2U);
  EXPECT_NEAR(tasks.share, 0.5, 1e-9);
}

TEST_F(BottlenecksTest, FullForAMomentIsNotSaturated) {
  builder_.Add(task_, 0, 0, 200);
  builder_.Sample(cpu_, 0, 40, 4);
  builder_.Sample(cpu_, 40, 200, 1);
  EXPECT_THAT(Find(builder_).bottlenecks.held, IsEmpty());
  EXPECT_THAT(TimesMs(Find(builder_, {.full_ns = 40'000'000}), 1, BottleneckKind::kSaturated),
              ElementsAre(Range{0, 40}));
}

TEST_F(BottlenecksTest, AnExactPhaseAtItsDemandLimitsItself) {
  builder_.Rule(task_, cpu_, RuleKind::kExact, 0.25);
  builder_.Add(task_, 0, 0, 100, "a");
  builder_.Add(task_, 0, 100, 200, "b");
  builder_.Sample(cpu_, 0, 100, 1);
  builder_.Sample(cpu_, 100, 200, 0.5);
  const Outcome outcome = Find(builder_);
  EXPECT_THAT(TimesMs(outcome, 1, BottleneckKind::kSelfLimited), ElementsAre(Range{0, 100}));
  EXPECT_THAT(TimesMs(outcome, 2, BottleneckKind::kSelfLimited), IsEmpty());
}

TEST_F(BottlenecksTest, MeasuredUseTellsWhoIsAtItsLimit) {
  builder_.Rule(task_, cpu_, RuleKind::kExact, 0.25);
  builder_.Add(task_, 0, 0, 200, "a");
  builder_.Add(task_, 0, 0, 200, "b");
  MeasuredUse measured = {cpu_, {{0, MsToNs(200)}}, {}};
  measured.pieces = {{1, 0, MsToNs(100), 1}, {2, 0, MsToNs(200), 0.5}};
  const Outcome outcome = Find(builder_, {}, {measured});
  EXPECT_THAT(TimesMs(outcome, 1, BottleneckKind::kSelfLimited), ElementsAre(Range{0, 100}));
  EXPECT_THAT(TimesMs(outcome, 2, BottleneckKind::kSelfLimited), IsEmpty());
}

TEST_F(BottlenecksTest, BlockedTimesAreExactAndTakenByTheInnermost) {
  const ResourceId gc = builder_.Blocking("gc");
  builder_.Add(task_, 0, 3, 20, "a");
  builder_.Add(task_, 0, 30, 200, "b");
  builder_.Block(0, gc, 12.5, 37.5);
  builder_.Block(0, gc, 30, 37);
  builder_.Block(2, gc, 190, 300);
  const Outcome outcome = Find(builder_);
  const auto blocked_ns = [&outcome](PhaseId phase) {
    uint64_t sum_ns = 0;
    for (const Held& held : outcome.bottlenecks.held)
      sum_ns += held.phase == phase ? SizeOf(held.times_ns) : 0;
    return sum_ns;
  };
  EXPECT_EQ(blocked_ns(0), MsToNs(10));
  EXPECT_EQ(blocked_ns(1), MsToNs(7.5));
  EXPECT_EQ(blocked_ns(2), MsToNs(17.5));
  EXPECT_EQ(outcome.bottlenecks.by_phase[0].any_ns, MsToNs(35));
}

TEST_F(BottlenecksTest, AResourceOfUnknownCapacityIsNeverFull) {
  const ResourceId other = builder_.Consumable("other", 0);
  builder_.Add(task_, 0, 0, 200);
  builder_.Sample(other, 0, 200, 9);
  EXPECT_THAT(Find(builder_).bottlenecks.held, IsEmpty());
}

}  // namespace
}  // namespace gordian
