// SPDX-License-Identifier: Apache-2.0
// Operations of disks that are faster, done by others, or left out.
#include "whatif/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

using ::testing::IsEmpty;

TEST_F(Replays, InfinitelyFastDiskDoublesFigure1) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.disks = {{Vertex("vda"), 0}}}, 2);
}

TEST_F(Replays, AsynchronousSyncDoublesFigure1) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.waits = {{Vertex("B"), Vertex("vda")}}}, 2);
}

TEST_F(Replays, AsynchronousSyncsThatComeMeanwhileAreOne) {
  // 2 ms of work and 8 ms of the disk: a sync is for four rounds, so the work is left.
  Load(Figure1Trace(200, 2_ms, 8_ms));
  const ReplayResult result = Try("B", {.waits = {{Vertex("B"), Vertex("vda")}}});
  EXPECT_NEAR(result.with_path.gain, 5, 0.15);
  EXPECT_EQ(result.with_path.next.kind, NextLimit::kThread);
}

TEST_F(Replays, OneHelperSyncsOneAfterTheOther) {
  Load(Figure1Trace(200, 2_ms, 8_ms));
  const WaitChange change = {Vertex("B"), Vertex("vda"), /*keeps_up=*/true, /*helpers=*/1};
  const ReplayResult result = Try("B", {.waits = {change}});
  EXPECT_NEAR(result.with_path.gain, 1.25, 0.03);
  EXPECT_EQ(result.with_path.next.kind, NextLimit::kDisk);
  EXPECT_EQ(result.with_path.next.entity, Vertex("vda"));
}

TEST_F(Replays, AsynchronousReadsOverlapAsFarAsTheDiskMayServeThem) {
  // 1 ms of work and 8 ms of the disk, which was seen with one request at a time.
  Load(ReaderTrace(200));
  const auto with_helpers = [&](uint32_t helpers) {
    return Try("reader", {.waits = {{Vertex("reader"), Vertex("vda"), true, helpers}}});
  };
  const ReplayResult four = with_helpers(4);
  EXPECT_NEAR(four.with_path.gain, 9.0 / 8, 0.03);
  ASSERT_FALSE(four.other_paths.empty());
  EXPECT_NEAR(four.other_paths.back().gain, 9.0 / 2, 0.15);
  EXPECT_NEAR(four.expected, 9.0 / 4, 0.1);
  EXPECT_NEAR(with_helpers(100).other_paths.back().gain, 9, 0.4);
  EXPECT_THAT(with_helpers(1).other_paths, IsEmpty());
}

TEST_F(Replays, AddedThreadsShareTheRoundsOfOneThatReadsByItself) {
  // 1 ms of work and 8 ms of the disk, which was seen with one request at a time.
  Load(ReaderTrace(200));
  const ReplayResult four = Try("reader", {.added_threads = {{Vertex("reader"), 3}}});
  EXPECT_TRUE(four.divides_in_rounds);
  EXPECT_NEAR(four.wait_alone.gain, 1, 0.01);  // each round needs the one before it
  EXPECT_NEAR(four.with_path.gain, 9.0 / 8, 0.03);
  ASSERT_FALSE(four.other_paths.empty());
  EXPECT_NEAR(four.other_paths.back().gain, 4, 0.15);
  EXPECT_NEAR(four.expected, std::sqrt(4 * 9.0 / 8), 0.1);
}

TEST_F(Replays, KernelThreadsOfASkippedWaitAreGoneWithIt) {
  Load(JournalTrace(200));
  ExpectGain("app", {.waits = {{Vertex("app"), Vertex("vda"), /*keeps_up=*/false}}}, 7.5 / 2);
  // Their CPU time is gone, too: there is nothing for a second CPU to do.
  const ReplayResult one =
      Try("app", {.waits = {{Vertex("app"), Vertex("vda"), false}}, .cpus = {{.count = 1}}});
  EXPECT_NEAR(one.wait_alone.gain, 7.5 / 2, 0.1);
}

// Else app waits for the helper, which nobody asks any more, to the end of all other threads.
TEST_F(Replays, KernelThreadsThatAreAskedByWhatIsGoneWorkAtOnce) {
  Load(JournalTrace(200, /*helped_round=*/100), /*alike_by_name=*/true);
  const ReplayResult result =
      Try("app", {.waits = {{Vertex("app"), Vertex("vda"), /*keeps_up=*/false}}});
  EXPECT_GT(result.wait_alone.gain, 3.3);
}

TEST_F(Replays, KernelThreadsOfAWaitThatOthersDoMergeWithIt) {
  Load(JournalTrace(200));
  const ReplayResult result = Try("app", {.waits = {{Vertex("app"), Vertex("vda")}}});
  EXPECT_NEAR(result.wait_alone.gain, 7.5 / 2, 0.1);
  const WaitChange alone = {Vertex("app"), Vertex("vda"), /*keeps_up=*/true, /*helpers=*/1};
  EXPECT_NEAR(Try("app", {.waits = {alone}}).wait_alone.gain, 7.5 / 5.5, 0.03);
}

TEST_F(Replays, KernelThreadsThatAreAskedForASkippedSyncAreGoneWithIt) {
  Load(AskedWorkerTrace(200));
  ExpectGain("app", {.waits = {{Vertex("app"), Vertex("vda"), /*keeps_up=*/false}}}, 5.0 / 2);
}

TEST_F(Replays, KernelThreadsThatAreAskedForSyncsThatStayStayWithThem) {
  Load(AskedWorkerTrace(200));
  const WaitChange change = {
      .from = Vertex("app"), .to = Vertex("vda"), .keeps_up = false, .keeps_one_in = 2};
  ExpectGain("app", {.waits = {change}}, 5.0 / (2 + 3.0 / 2));
}

// It is not the sync that is skipped.
TEST_F(Replays, KernelThreadsThatAreAskedForSomethingElseStay) {
  Load(JournalTrace(200));
  ExpectGain("app", {.waits = {{Vertex("journal"), Vertex("vda"), /*keeps_up=*/false}}}, 7.5 / 3.5);
}

// B wakes A in each round, and a tenth of its 5 ms is that.
TEST_F(Replays, WakesOfThreadsThatDoNotWaitCostNothing) {
  Load(Figure1Trace(200));
  const ReplayOptions options = {
      .changes = {.waits = {{Vertex("A"), Vertex("B"), /*keeps_up=*/false}}},
      .wake_shares = {{Vertex("B"), 0.1}}};
  const ReplayResult result = TryAll("B", options);
  EXPECT_NEAR(result.wait_alone.gain, 1, 0.01);
  EXPECT_NEAR(result.with_path.gain, 10 / 9.5, 0.01);
}

TEST_F(Replays, HelpersMustBeWoken) {
  // 8 ms of work, of which a sixteenth wakes A, and a sync of 1 ms.
  Load(Figure1Trace(200, 8_ms, 1_ms));
  const ReplayOptions options = {.changes = {.waits = {{Vertex("B"), Vertex("vda")}}},
                                 .wake_shares = {{Vertex("B"), 1.0 / 16}}};
  EXPECT_NEAR(TryAll("B", options).with_path.gain, 9 / 8.5, 0.01);
}

TEST_F(Replays, SkippedSyncNeedsNoDisk) {
  Load(Figure1Trace(200, 2_ms, 8_ms));
  ExpectGain("B", {.waits = {{Vertex("B"), Vertex("vda"), /*keeps_up=*/false}}}, 5);
}

TEST_F(Replays, OneSyncInSoManyMayStay) {
  // Of four rounds of 2 ms of work one has a sync of 8 ms.
  Load(Figure1Trace(200, 2_ms, 8_ms));
  const WaitChange change = {
      .from = Vertex("B"), .to = Vertex("vda"), .keeps_up = false, .keeps_one_in = 4};
  ExpectGain("B", {.waits = {change}}, 10 / (2 + 8 / 4.0));
}

TEST_F(Replays, KernelThreadsOfSyncsThatStayStayWithThem) {
  // 2 ms of work, and 5.5 ms of a journal and its worker for each second round.
  Load(JournalTrace(200));
  const WaitChange change = {
      .from = Vertex("app"), .to = Vertex("vda"), .keeps_up = false, .keeps_one_in = 2};
  ExpectGain("app", {.waits = {change}}, 7.5 / (2 + 5.5 / 2));
}

TEST_F(Replays, RoundsWithoutASyncTellWhatTheOthersCouldSave) {
  // 2 ms each of client and server; each second round has 2 ms of CPU time and 4 ms of the disk
  // more. No stack says that these 2 ms are for the sync.
  Load(SometimesSyncedTrace(200));
  const ReplayResult result =
      Try("client", {.waits = {{Vertex("server"), Vertex("vda"), /*keeps_up=*/false}}});
  EXPECT_NEAR(result.wait_alone.gain, 7.0 / 5, 0.02);
  EXPECT_NEAR(result.with_path.gain, 7.0 / 4, 0.02);
}

TEST_F(Replays, FewRoundsWithoutASyncTellNothing) {
  Load(SometimesSyncedTrace(30));
  const ReplayResult result =
      Try("client", {.waits = {{Vertex("server"), Vertex("vda"), /*keeps_up=*/false}}});
  EXPECT_NEAR(result.with_path.gain, 7.0 / 5, 0.03);
}

// A quarter of A's 2 ms is for going to sleep, which it does not any more.
TEST_F(Replays, ThreadsThatDoNotWaitSaveGoingToSleep) {
  Load(Figure1Trace(200));
  const ReplayOptions options = {
      .changes = {.waits = {{Vertex("A"), Vertex("B"), /*keeps_up=*/false}}},
      .wake_shares = {{.vertex = Vertex("A"), .sleep_share = 0.25}}};
  const ReplayResult result = TryAll("A", options);
  EXPECT_NEAR(result.wait_alone.gain, 10.0 / 2, 0.1);
  EXPECT_NEAR(result.with_path.gain, 10 / 1.5, 0.1);
}

TEST_F(Replays, WhatOthersAskOfADiskIsNotSkipped) {
  // Four threads take turns at 1 ms of work; the disk then takes the rest of each thread's time.
  Load(ClosedNetworkTrace(200));
  const Changes changes = {.waits = {{Vertex("thread 1"), Vertex("vda"), /*keeps_up=*/false}}};
  const ReplayResult one = Try("thread 1", changes);
  const ReplayResult other = Try("thread 2", changes);
  EXPECT_GT(one.with_path.gain, 2);
  EXPECT_GE(other.with_path.gain, 1);
  EXPECT_LT(other.with_path.gain, 1.5);
}

TEST_F(Replays, FasterDiskCountsAsMuchAsItIsFaster) {
  Load(Figure1Trace(100));
  ExpectGain("B", {.disks = {{Vertex("vda"), 0.5}}}, 10.0 / 7.5);
}

TEST_F(Replays, DiskBehindASinkGainsNothing) {
  Load(PipelineTrace(100));
  ExpectGain("compressor", {.disks = {{Vertex("vda"), 0}}}, 1);
  ExpectGain("consumer", {.disks = {{Vertex("vda"), 0}}}, 1);
}

TEST_F(Replays, WhoeverCarriesAnAsynchronousOperationNeedsItsCpu) {
  // 8 ms on one CPU, of which 3 of the disk; 1 ms of the work moves with the waits, but stays work.
  Load(SyncsTrace(200));
  const WaitChange change = {Vertex("logger"), Vertex("vda"), /*keeps_up=*/true, /*helpers=*/1};
  EXPECT_NEAR(Try("logger", {.waits = {change}}).with_path.gain, 8.0 / 5, 0.05);
}

}  // namespace
}  // namespace gordian::testing
