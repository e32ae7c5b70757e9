// SPDX-License-Identifier: Apache-2.0
// Programs whose answers queueing theory knows.
#include "whatif/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/trace_builder.h"
#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

TEST_F(Replays, ReproduceWhatIsNotChanged) {
  Load(Figure1Trace(100));
  ExpectGain("B", {}, 1);
}

// A fifth of 2 ms of work, and a fifth of the 6 ms for which its quota held it back.
TEST_F(Replays, LessWorkUnderAUsedUpQuotaIsHeldBackForLess) {
  Load(QuotaTrace(200));
  ReplayOptions options = {.changes = {.runs = {{.vertex = Vertex("server"), .factor = 0.2}}}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 7.4, 0.02);
  options.quota_groups = {{.vertices = {Vertex("server")}}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 2.6, 0.05);
}

// 2 ms of work, held back for 6 ms: at twice the quota they take 4 ms, and at ten times the quota
// they are no longer held back.
TEST_F(Replays, LargerQuotaHoldsBackForLess) {
  Load(QuotaTrace(200));
  ReplayOptions options;
  options.quota_groups = {{.vertices = {Vertex("server")}, .times = 2}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 5, 0.05);
  options.quota_groups = {{.vertices = {Vertex("server")}, .times = 10}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 3, 0.1);
}

TEST_F(Replays, SmallerQuotaHoldsBackForLonger) {
  Load(QuotaTrace(200));
  ReplayOptions options;
  options.quota_groups = {{.vertices = {Vertex("server")}, .times = 0.5}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 17, 0.02);
}

TEST_F(Replays, LessWorkOfOthersLeavesAUsedUpQuotaAsItIs) {
  Load(QuotaTrace(200));
  ReplayOptions options = {.changes = {.runs = {{.vertex = Vertex("client"), .factor = 0.2}}}};
  options.quota_groups = {{.vertices = {Vertex("server")}}};
  EXPECT_NEAR(TryAll("client", options).expected, 9.0 / 8.2, 0.02);
}

TEST_F(Replays, FasterThreadThatIsWaitedForCounts) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.runs = {{Vertex("B"), 0.5}}}, 10.0 / 7.5);
}

TEST_F(Replays, FasterThreadThatOnlyWaitsGainsNothing) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.runs = {{Vertex("A"), 0.1}}}, 1);
}

// A tenth of the stage's millisecond goes to its wake, and a tenth to its sleep.
TEST_F(Replays, ShorterWorkStillWakesOthersAndSleeps) {
  Load(RingTrace(200));
  const uint32_t stage = Vertex("stage 0");
  const auto gain_with = [&](double share) {
    const ReplayResult result = TryAll(
        "stage 1", {.changes = {.runs = {{stage, 0}}},
                    .wake_shares = {{.vertex = stage, .share = share, .sleep_share = share}}});
    EXPECT_NEAR(result.wait_alone.gain, result.with_path.gain, 0.02);
    return result.with_path.gain;
  };
  EXPECT_NEAR(gain_with(0), 4.0 / 3, 0.02);
  EXPECT_NEAR(gain_with(0.1), 4.0 / 3.2, 0.02);
}

TEST_F(Replays, NobodyOutrunsThoseItHandsOnTo) {
  // B without its disk and with a tenth of its work would do a request in 0.5 ms, but A brings one
  // only every 2 ms, although B never waited for it.
  Load(Figure1Trace(400));
  const Changes changes = {.disks = {{Vertex("vda"), 0}}, .runs = {{Vertex("B"), 0.1}}};
  const ReplayResult result = Try("B", changes);
  EXPECT_NEAR(result.wait_alone.gain, 5, 0.25);
  EXPECT_NEAR(result.with_path.gain, 5, 0.25);
  EXPECT_EQ(result.with_path.next.kind, NextLimit::kThread);
  EXPECT_EQ(result.with_path.next.entity, Vertex("A"));
}

TEST_F(Replays, FasterSinkCountsUntilTheNextStageBinds) {
  Load(PipelineTrace(400));
  ExpectGain("consumer", {.runs = {{Vertex("compressor"), 0.5}}}, 2);
  // The consumer needs 1 ms and 3 ms of the disk.
  const ReplayResult result = Try("consumer", {.runs = {{Vertex("compressor"), 0.1}}});
  EXPECT_NEAR(result.low, 2.5, 0.12);
  EXPECT_NEAR(result.high, 2.5, 0.12);
}

TEST_F(Replays, LockThatIsNeverContendedLeavesEachThreadItsOwnTime) {
  // Four threads think 4 ms and hold the lock 2 ms: together a turn every 2 ms; alone one in 6.
  Load(LockTrace(100), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  ExpectGain("worker", {.waits = {{worker, worker, /*keeps_up=*/false}}}, 8.0 / 6);
}

TEST_F(Replays, LockThatIsSplitOneWayIsAsItWas) {
  Load(LockTrace(100), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  ExpectGain("worker", {.splits = {{worker, worker, 1}}}, 1);
}

TEST_F(Replays, LockThatIsSplitGainsUpToTheBoundOfThinking) {
  // Four threads think 4 ms and hold one of n locks 2 ms: at most 4 / 6 a ms, against 4 / 8. With
  // two locks chosen by chance, the gain is at least that with times by chance, too: 1.14 by mean
  // value analysis.
  Load(LockTrace(400), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  const ReplayResult two = Try("worker", {.splits = {{worker, worker, 2}}});
  EXPECT_THAT(two.wait_alone.gain, AllOf(Ge(1.14), Le(1.30)));
  const ReplayResult many = Try("worker", {.splits = {{worker, worker, 1000}}});
  EXPECT_NEAR(many.wait_alone.gain, 8.0 / 6, 0.02);
  EXPECT_NEAR(many.with_path.gain, 8.0 / 6, 0.02);
}

TEST_F(Replays, OneHoldThatServesAllWhoWaitIsNoQueueAnyMore) {
  // A thread that comes waits for the hold under way, 1 ms on average, and for its own: at least 8
  // / 7, and at most as without other threads.
  Load(LockTrace(400), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  const ReplayResult result = Try("worker", {.splits = {{worker, worker, 1, /*grouped=*/true}}});
  EXPECT_THAT(result.wait_alone.gain, AllOf(Ge(8.0 / 7), Le(8.0 / 6 + 0.02)));
  EXPECT_THAT(result.with_path.gain, AllOf(Ge(8.0 / 7), Le(8.0 / 6 + 0.02)));
}

// As the workers grouped, but each is a vertex of its own.
TEST_F(Replays, WaitsOfSeveralVerticesAreForOneLock) {
  Load(LockTrace(200));
  LockSplit split = {0, 1, 1000};
  for (uint32_t from = 0; from < 4; ++from) {
    for (uint32_t to = 0; to < 4; ++to) {
      if (from != to) split.also.push_back({from, to});
    }
  }
  EXPECT_NEAR(Try("worker", {.splits = {split}}).wait_alone.gain, 8.0 / 6, 0.03);
  EXPECT_NEAR(Try("worker", {.splits = {{0, 1, 1000}}}).wait_alone.gain, 1, 0.03);
}

TEST_F(Replays, AddedThreadsShareTheWorkOfTheirKind) {
  // Two clients work 1 ms and are served 2 ms: one worker answers every 2 ms, two answer two in 3,
  // and more are of no use.
  Load(PoolTrace(400), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  ExpectGain("client", {.added_threads = {{worker, 1}}}, 4.0 / 3);
  ExpectGain("client", {.added_threads = {{worker, 10}}}, 4.0 / 3);
}

TEST_F(Replays, AddedThreadOfThoseWhoAreNotWaitedForGainsNothing) {
  Load(PoolTrace(400), /*alike_by_name=*/true);
  const ReplayResult result = Try("client", {.added_threads = {{Vertex("client"), 1}}});
  EXPECT_LE(result.wait_alone.gain, 1.02);
}

TEST_F(Replays, WakesForNothingThatAreGoneLeaveTheirCpuTime) {
  Load(NeedlessWakesTrace(2000));
  ExpectGain("boss", {.no_false_wakeups = {Vertex("helper")}}, 50.0 / 42);
}

TEST_F(Replays, WakesToWorkAreNotForNothing) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.no_false_wakeups = {Vertex("A")}}, 1);
}

TEST_F(Replays, IntervalHoldsItsReadings) {
  Load(UnknownWaitTrace(200));
  const ReplayResult result = Try("loop", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_LE(result.low, result.wait_alone.gain);
  EXPECT_GE(result.high, result.with_path.gain);
  EXPECT_NEAR(result.expected, std::sqrt(2 * 3.5), 0.1);
}

TEST_F(Replays, RecordingThatIsNotTheSameAllTheTimeWidensTheInterval) {
  // Without the disk 6 times in the first half, and 2 times in the second.
  Load(ChangingTrace(400));
  const ReplayResult changing = Try("loop", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_GT(changing.wait_alone.chance, 0.2);
  EXPECT_LT(changing.low, 0.8 * changing.wait_alone.gain);
  Load(Figure1Trace(400), false, "steady");
  EXPECT_LT(Try("B", {.disks = {{Vertex("vda"), 0}}}).wait_alone.chance, 0.03);
}

TEST_F(Replays, ShorterHoldOfALockCountsUntilThinkingBinds) {
  // The lock is held for 0.5 ms of work and 1.5 ms of the disk. Without the latter it is no limit:
  // at most N / (D + Z) = 4 / 4.5 ms, against 1 / 2 ms.
  Load(LockTrace(200, 500'000), /*alike_by_name=*/true);
  const ReplayResult result = Try("worker", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_THAT(result.low, AllOf(Ge(1.6), Le(1.8)));
  EXPECT_THAT(result.high, AllOf(Ge(1.7), Le(1.8)));
}

TEST_F(Replays, ClosedNetworkKeepsItsBounds) {
  // Four threads, 1 ms on the only CPU and a disk that serves one in 2 ms.
  Load(ClosedNetworkTrace(200));
  const uint32_t vda = Vertex("vda");
  // The CPU: 1 / Dmax.
  ExpectGain("thread 1", {.disks = {{vda, 0}}}, 2);
  // With two, N / (D + Z) is the bound, as 4 / (1.75 + 1) is under 2 for each ms.
  ExpectGain("thread 1", {.disks = {{vda, 0.25}}, .cpus = {{.count = 2}}}, 8 / 2.75);
  ExpectGain("thread 1", {.disks = {{vda, 0}}, .cpus = {{.count = 2}}}, 4);
  ExpectGain("thread 1", {.cpus = {{.count = 2}}}, 1);
}

TEST_F(Replays, MoreCpusHelpThoseThatAreReadyToRun) {
  Load(StarvedTrace(100));
  ExpectGain("hog 1", {.cpus = {{.count = 4}}}, 2);
  ExpectGain("hog 1", {.cpus = {{.count = 1}}}, 0.5);
}

TEST_F(Replays, FasterServerOfAnOpenSystemGainsNothing) {
  // An item every 5 ms, 3 ms of work for each.
  Load(OpenTrace(200));
  ExpectGain("worker", {.runs = {{Vertex("worker"), 0.5}}}, 1);
}

TEST_F(Replays, ShorterSleepCountsUntilTheServerIsBusy) {
  Load(OpenTrace(400));
  ExpectGain("worker", {.timers = {{Vertex("source"), 0.8}}}, 1.25);
  const ReplayResult result = Try("worker", {.timers = {{Vertex("source"), 0.2}}});
  EXPECT_NEAR(result.low, 5.0 / 3, 0.08);
  EXPECT_NEAR(result.high, 5.0 / 3, 0.08);
}

TEST_F(Replays, UnknownWaitsWidenTheInterval) {
  // 2 ms of work, 5 ms of the disk, 3 ms of an unknown cause: without the disk 10 / 5, and if the
  // unknown keeps its share, 0.7 / 0.2.
  Load(UnknownWaitTrace(200));
  const ReplayResult result = Try("loop", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_NEAR(result.wait_alone.gain, 2, 0.04);
  EXPECT_NEAR(result.with_path.gain, 3.5, 0.15);
  EXPECT_NEAR(result.unexplained, 0.3, 0.01);
  EXPECT_NEAR(Try("loop", {}).with_path.gain, 1, 0.01);
}

TEST_F(Replays, WorkOnTheWayToAWaitGoesWithIt) {
  // 4 ms of work; then three syncs of 1 ms, 0.5 ms of work between each: 8 ms. Without the disk 5,
  // without the runs in between 4.
  Load(SyncsTrace(200));
  const ReplayResult result = Try("logger", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_NEAR(result.wait_alone.gain, 8.0 / 5, 0.03);
  EXPECT_NEAR(result.with_path.gain, 8.0 / 4, 0.04);
}

TEST_F(Replays, PathFromStacksCountsInsteadOfRunsInBetween) {
  Load(SyncsTrace(200));
  const uint32_t logger = Vertex("logger");
  const std::vector<uint32_t> vertex = {logger};
  const auto result = ReplayTimeline(
      *timeline_, vertices_,
      {.changes = {.disks = {{Vertex("vda"), 0}}},
       .marks = CycleMarks(*timeline_, vertices_, vertex),
       .paths = {{.vertex = logger, .run_share = 0.6, .least_share = 0.6, .most_share = 0.6}}});
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result->with_path.gain, 8.0 / 2, 0.08);
}

TEST_F(Replays, OrderOfAlikeThreadsIsFree) {
  // Of two workers one was always slower. A thread that waits for either takes the first.
  Load(TwoServersTrace(200), /*alike_by_name=*/true);
  const ReplayResult result = Try("server", {.disks = {{Vertex("vda"), 0}}});
  EXPECT_GE(result.with_path.gain, result.wait_alone.gain - 0.01);
}

TEST_F(Replays, WhatIsLostToOtherProgramsIsLostWithEachWake) {
  Load(RivalTrace(200));
  const uint32_t worker = Vertex("worker");
  const std::vector<uint32_t> vertex = {worker};
  const auto result = ReplayTimeline(*timeline_, vertices_,
                                     {.changes = {.timers = {{worker, 0.5}}},
                                      .marks = CycleMarks(*timeline_, vertices_, vertex),
                                      .candidates = vertex});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->self_check(), 0.02);
  // 1 ms of work and 1 ms until it gets the CPU stay.
  EXPECT_NEAR(result->with_path.gain, 4.0 / 3, 0.03);
}

TEST_F(Replays, StepsGrowWithTheRecording) {
  Load(Figure1Trace(100));
  const uint64_t steps = Try("B", {}).steps;
  Load(Figure1Trace(400), false, "longer");
  EXPECT_NEAR(static_cast<double>(Try("B", {}).steps), 4.0 * static_cast<double>(steps),
              0.05 * 4 * static_cast<double>(steps));
}

TEST_F(Replays, SameTwice) {
  Load(ClosedNetworkTrace(100));
  const Changes changes = {.disks = {{Vertex("vda"), 0.3}}, .cpus = {{.count = 2}}};
  const ReplayResult once = Try("thread 1", changes), again = Try("thread 1", changes);
  EXPECT_EQ(once.with_path.gain, again.with_path.gain);
  EXPECT_EQ(once.wait_alone.gain, again.wait_alone.gain);
  EXPECT_EQ(once.with_path.next.share, again.with_path.next.share);
}

// Four threads, 1 ms on the only CPU and 7 ms of a disk that works on all at once: N / (D + Z) and
// 1 / D are the asymptotes. No gain is above them, and with constant times no gain is below.
class ClosedNetwork : public Replays, public ::testing::WithParamInterface<double> {};

TEST_P(ClosedNetwork, StaysAtItsAsymptoticBounds) {
  constexpr double kThreads = 4, kCpuMs = 1, kDiskMs = 7, kRecordedTurnMs = 2;
  Load(ClosedNetworkTrace(300));
  const double bound =
      std::min(1 / kCpuMs, kThreads / (kCpuMs + GetParam() * kDiskMs)) * kRecordedTurnMs;
  const ReplayResult result = Try("thread 1", {.disks = {{Vertex("vda"), GetParam()}}});
  EXPECT_LE(result.high, 1.02 * bound);
  EXPECT_GE(result.low, 0.97 * bound);
}

INSTANTIATE_TEST_SUITE_P(DiskFactors, ClosedNetwork,
                         ::testing::Values(0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 4.0));

struct UnchangedCase {
  std::string name;
  TraceBuilder (*make)();
  std::string progress;
};
class Unchanged : public Replays, public ::testing::WithParamInterface<UnchangedCase> {};

TEST_P(Unchanged, ReplayIsTheRecordingWhateverItHolds) {
  for (const bool alike_by_name : {false, true}) {
    Load(GetParam().make(), alike_by_name, alike_by_name ? "alike" : "each");
    const ReplayResult result = Try(GetParam().progress, {});
    EXPECT_NEAR(result.wait_alone.gain, 1, 0.01);
    EXPECT_NEAR(result.with_path.gain, 1, 0.01);
    EXPECT_LE(result.low, 1.001);
    EXPECT_GE(result.high, 0.999);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traces, Unchanged,
    ::testing::Values(
        UnchangedCase{"Figure1", [] { return Figure1Trace(100); }, "A"},
        UnchangedCase{"Pipeline", [] { return PipelineTrace(100); }, "consumer"},
        UnchangedCase{"Lock", [] { return LockTrace(100, 500'000); }, "worker"},
        UnchangedCase{"ClosedNetwork", [] { return ClosedNetworkTrace(100); }, "thread 2"},
        UnchangedCase{"Starved", [] { return StarvedTrace(100); }, "hog 3"},
        UnchangedCase{"Open", [] { return OpenTrace(100); }, "worker"},
        UnchangedCase{"UnknownWait", [] { return UnknownWaitTrace(100); }, "loop"},
        UnchangedCase{"Syncs", [] { return SyncsTrace(100); }, "logger"},
        UnchangedCase{"TwoServers", [] { return TwoServersTrace(100); }, "client"},
        UnchangedCase{"Pool", [] { return PoolTrace(100); }, "client"},
        UnchangedCase{"NeedlessWakes", [] { return NeedlessWakesTrace(1000); }, "boss"},
        UnchangedCase{"Service", [] { return ServiceTrace(100); }, "asker"},
        UnchangedCase{"Ring", [] { return RingTrace(100); }, "stage 2"},
        UnchangedCase{"UnfairLock", [] { return UnfairLockTrace(100); }, "worker"},
        UnchangedCase{"Changing", [] { return ChangingTrace(100); }, "loop"}),
    [](const auto& info) { return info.param.name; });

TEST_F(Replays, WhoDidLessSharesWhatIsLeftOfTheOthersWork) {
  Load(UnfairLockTrace(200), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  const Changes changes = {.waits = {{worker, worker, /*keeps_up=*/false}}};
  const ReplayResult result = Try("worker", changes);
  EXPECT_NEAR(result.wait_alone.gain, 2, 0.04);
  EXPECT_NEAR(result.with_path.gain, 2, 0.04);
  EXPECT_LT(result.with_path.chance, 0.05);
  // Waits that are gone do not come back as they are on the way of others.
  ReplayOptions options = {.changes = changes};
  options.paths = {{.vertex = worker, .waits = {{worker, 1}}}};
  EXPECT_NEAR(TryAll("worker", options).with_path.gain, 2, 0.04);
}

}  // namespace
}  // namespace gordian::testing
