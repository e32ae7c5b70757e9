// SPDX-License-Identifier: Apache-2.0
// Replays: with nothing changed as recorded; with changes as the order of phases allows.
#include "jobs/issues/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"
#include "jobs/issues/critical_path.h"
#include "jobs/issues/groups.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

int64_t Ms(double ms) { return static_cast<int64_t>(MsToNs(ms)); }

// The makespan if one phase had another duration.
double MakespanWith(const Replay& replay, PhaseId phase, double duration_ms) {
  ReplayTimes times = replay.times();
  SetDuration(replay, phase, Ms(duration_ms), times);
  return static_cast<double>(Replay::Makespan(replay.Run(times))) / 1e6;
}

TEST(Replay, TypesFollowEachOtherAsTheModelSays) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const PhaseTypeId load = builder.Type("Load", root, PhaseRepeat::kConcurrent);
  const PhaseTypeId skip = builder.Type("Skipped", root, PhaseRepeat::kOnce, {load});
  const PhaseTypeId run = builder.Type("Run", root, PhaseRepeat::kConcurrent, {skip});
  builder.Add(root, kNoId, 0, 300);
  const PhaseId slow = builder.Add(load, 0, 0, 200, "a");
  builder.Add(load, 0, 0, 150, "b");
  builder.Add(run, 0, 200, 300);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.makespan_ns(), Ms(300));
  EXPECT_EQ(MakespanWith(replay, slow, 170), 270);
  EXPECT_EQ(MakespanWith(replay, slow, 100), 250);
  EXPECT_EQ(MakespanWith(replay, slow, 250), 350);
}

TEST(Replay, PhasesWaitForThoseThatTheLogsName) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Stage", 0, PhaseRepeat::kConcurrent);
  builder.Add(0, kNoId, 0, 300);
  const PhaseId first = builder.Add(1, 0, 0, 200, "0");
  const PhaseId second = builder.Add(1, 0, 200, 300, "1");
  builder.At(second).after = {first};
  const Job job = builder.Build();
  EXPECT_EQ(MakespanWith(Replay(job, {}), first, 50), 150);
  builder.At(second).start_ns = MsToNs(100);  // it did not wait for the first to end
  const Job other = builder.Build();
  EXPECT_EQ(Replay(other, {}).contradicted(), 1u);
}

TEST(Replay, SequentialPhasesWaitForTheOneBeforeAndConcurrentOnesDoNot) {
  for (const PhaseRepeat repeat : {PhaseRepeat::kSequential, PhaseRepeat::kConcurrent}) {
    JobBuilder builder;
    builder.Type("Job");
    builder.Type("Step", 0, repeat);
    builder.Add(0, kNoId, 0, 300);
    const PhaseId first = builder.Add(1, 0, 0, 200, "0");
    builder.Add(1, 0, 200, 300, "1");
    const Job job = builder.Build();
    // Concurrent ones started when they did, for reasons of their own.
    EXPECT_EQ(MakespanWith(Replay(job, {}), first, 50),
              repeat == PhaseRepeat::kSequential ? 150 : 300);
  }
}

TEST(Replay, PhasesOfOneThreadNeverOverlap) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Stage", 0, PhaseRepeat::kConcurrent);
  builder.Type("Task", 1, PhaseRepeat::kConcurrent, {}, PhasePlace::kThread);
  builder.Add(0, kNoId, 0, 300);
  const PhaseId a = builder.Add(1, 0, 0, 200, "a");
  const PhaseId b = builder.Add(1, 0, 0, 300, "b");
  const PhaseId first = builder.Add(2, a, 0, 200);
  const PhaseId second = builder.Add(2, b, 200, 300);
  for (const PhaseId task : {first, second}) builder.At(task).tid = 7;
  const Job job = builder.Build();
  EXPECT_EQ(MakespanWith(Replay(job, {}), first, 50), 150);
  EXPECT_EQ(MakespanWith(Replay(job, {}), first, 250), 350);
}

TEST(Replay, PhasesOfAPlaceRunAsManyAtATimeAsWereSeen) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Task", 0, PhaseRepeat::kConcurrent, {}, PhasePlace::kProcess);
  builder.Add(0, kNoId, 0, 200);
  const PhaseId first = builder.Add(1, 0, 0, 100, "0");
  builder.Add(1, 0, 0, 110, "1");
  builder.Add(1, 0, 100, 200, "2");
  builder.Add(1, 0, 110, 190, "3");
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(MakespanWith(replay, first, 50), 190);
  EXPECT_EQ(MakespanWith(replay, first, 150), 250);
}

TEST(Replay, KeepsDelaysThatTheMakespanNeeds) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Step", 0, PhaseRepeat::kSequential);
  builder.Add(0, kNoId, 0, 300);
  const PhaseId first = builder.Add(1, 0, 20, 100, "0");
  builder.Add(1, 0, 150, 250, "1");
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.makespan_ns(), Ms(300));
  EXPECT_EQ(replay.makespan_without_delays_ns(), Ms(180));
  EXPECT_FALSE(replay.delays_dropped(0));
  EXPECT_EQ(MakespanWith(replay, first, 40), 260);
}

// Each worker's second phase waits for the first of all workers, which the model does not say.
TEST(Replay, DropsDelaysThatAreOnlyWaiting) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Worker", 0, PhaseRepeat::kConcurrent);
  builder.Type("Gather", 1);
  builder.Type("Apply", 1, PhaseRepeat::kOnce, {2});
  builder.Add(0, kNoId, 0, 300);
  for (int i = 0; i < 2; ++i) builder.Add(1, 0, 0, 300, std::to_string(i));
  builder.Add(2, 1, 0, 200);
  builder.Add(3, 1, 200, 300);
  builder.Add(2, 2, 0, 100);
  builder.Add(3, 2, 200, 300);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.makespan_ns(), Ms(300));
  EXPECT_TRUE(replay.delays_dropped(0));
  EXPECT_EQ(MakespanWith(replay, 3, 150), 250);
  EXPECT_EQ(replay.baseline().duration_ns(2), Ms(200));
}

TEST(Replay, APhaseThatUsesNothingIsWaiting) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Worker", 0, PhaseRepeat::kConcurrent);
  builder.Type("Compute", 1);
  builder.Type("Barrier", 1, PhaseRepeat::kOnce, {2});
  builder.Consumable("cpu", 4);
  builder.Rule(3, 0, RuleKind::kNone);
  builder.Add(0, kNoId, 0, 200);
  for (int i = 0; i < 2; ++i) builder.Add(1, 0, 0, 200, std::to_string(i));
  builder.Add(2, 1, 0, 200);
  builder.Add(2, 2, 0, 100);
  builder.Add(3, 2, 100, 200);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.makespan_ns(), Ms(200));
  EXPECT_EQ(MakespanWith(replay, 3, 150), 150);
}

TEST(Replay, AStepsOwnOverheadDoesNotHideWhoWaitsForWhom) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Worker", 0, PhaseRepeat::kConcurrent);
  builder.Type("Compute", 1);
  builder.Add(0, kNoId, 0, 200);
  for (int i = 0; i < 2; ++i) builder.Add(1, 0, 0, 200, std::to_string(i));
  builder.Add(2, 1, 0, 185);
  builder.Add(2, 2, 0, 90);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.makespan_ns(), Ms(200));
  EXPECT_EQ(MakespanWith(replay, 3, 100), 115);  // the overhead of 15 ms stays
  EXPECT_FALSE(Replay(job, {.without_delays = 0.95}).delays_dropped(0));
}

TEST(Replay, WhatTheRecordingContradictsIsLeftOutAndCounted) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Send", 0);
  builder.Type("Receive", 0, PhaseRepeat::kOnce, {1});
  builder.Add(0, kNoId, 0, 200);
  builder.Add(1, 0, 0, 150);
  builder.Add(2, 0, 50, 200);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.contradicted(), 1U);
  EXPECT_EQ(replay.makespan_ns(), Ms(200));
  EXPECT_EQ(MakespanWith(replay, 1, 20), 200);
  JobBuilder close = builder;
  close.At(2).start_ns = MsToNs(145);  // within the tolerance: it waits
  const Job close_job = close.Build();
  EXPECT_EQ(Replay(close_job, {}).contradicted(), 0U);
  EXPECT_EQ(MakespanWith(Replay(close_job, {}), 1, 20), 70);
}

TEST(Replay, ACircleOfPrecedencesIsBroken) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("A", 0, PhaseRepeat::kOnce, {2});
  builder.Type("B", 0, PhaseRepeat::kOnce, {1});
  builder.Add(0, kNoId, 0, 5);
  builder.Add(1, 0, 0, 5);
  builder.Add(2, 0, 0, 5);
  const Job job = builder.Build();
  const Replay replay(job, {});
  EXPECT_EQ(replay.contradicted(), 1U);
  EXPECT_EQ(replay.makespan_ns(), Ms(5));
}

TEST(CriticalPath, AddsUpToTheMakespanAndTellsTheSlackOfTheOthers) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Step", 0, PhaseRepeat::kSequential);
  builder.Type("Task", 1, PhaseRepeat::kConcurrent);
  builder.Add(0, kNoId, 0, 300);
  builder.Add(1, 0, 0, 100, "0");
  builder.Add(1, 0, 130, 300, "1");
  builder.Add(2, 1, 0, 100);
  builder.Add(2, 1, 0, 60);
  builder.Add(2, 2, 130, 200);
  builder.Add(2, 2, 130, 290);
  const Job job = builder.Build();
  const Replay replay(job, {});
  const CriticalPath path = FindCriticalPath(job, replay);
  std::vector<PhaseId> on_path;
  int64_t sum_ns = 0;
  for (const CriticalStep& step : path.steps) {
    if (step.part == CriticalStep::Part::kDuration) on_path.push_back(step.phase);
    sum_ns += step.length_ns;
  }
  EXPECT_THAT(on_path, ElementsAre(3, 6));
  EXPECT_EQ(sum_ns, Ms(300));
  EXPECT_EQ(path.slack_ns[3], 0);
  EXPECT_EQ(path.slack_ns[4], Ms(40));
  EXPECT_EQ(path.slack_ns[5], Ms(90));
  EXPECT_EQ(path.slack_ns[6], 0);
  // Slack is exact: this much later does not delay the job.
  EXPECT_EQ(MakespanWith(replay, 5, 160), 300);
  EXPECT_EQ(MakespanWith(replay, 5, 161), 301);
}

}  // namespace
}  // namespace gordian
