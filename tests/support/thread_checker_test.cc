// SPDX-License-Identifier: Apache-2.0
#include "tests/support/thread_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kParent = 10;
constexpr int32_t kChild = 11;
constexpr int32_t kOther = 12;

// Builds event lists; ends each with Finish().
class Story {
 public:
  Story() = default;
  explicit Story(std::set<int32_t> unseen) : checker_(std::move(unseen)) {}

  Story& Birth(uint64_t time_ns, int32_t tid, int32_t parent = kParent) {
    return Task(time_ns, TaskChange::kNew, tid, parent);
  }
  Story& Exit(uint64_t time_ns, int32_t tid) { return Task(time_ns, TaskChange::kExit, tid, 0); }
  Story& Switch(uint64_t time_ns, uint16_t cpu, int32_t prev, int32_t next,
                uint32_t state = kStateInterruptible, bool preempted = false) {
    TraceEvent event{};
    event.time_ns = time_ns;
    event.kind = EventKind::kSwitch;
    event.cpu = cpu;
    event.sched_switch = {prev, next, state, preempted};
    checker_.Add(event);
    return *this;
  }
  Story& Wake(uint64_t time_ns, int32_t wakee, int32_t waker = kOther) {
    TraceEvent event{};
    event.time_ns = time_ns;
    event.kind = EventKind::kWake;
    event.wake = WakeEvent{.wakee_tid = wakee, .waker_tid = waker};
    checker_.Add(event);
    return *this;
  }
  Story& Task(uint64_t time_ns, TaskChange change, int32_t tid, int32_t parent) {
    TaskRecord task;
    task.change = change;
    task.tid = tid;
    task.parent_tid = parent;
    task.start_time_ns = 77;
    task.comm = "child";
    checker_.AddTask(time_ns, task);
    return *this;
  }
  ThreadLife Life(int32_t tid) {
    Finish();
    for (const ThreadLife& life : checker_.lives()) {
      if (life.tid == tid) return life;
    }
    ADD_FAILURE() << tid << " has no life";
    return {};
  }
  std::vector<std::string> Complaints() {
    Finish();
    std::vector<std::string> complaints;
    for (const Violation& violation : checker_.violations()) {
      complaints.push_back(std::to_string(violation.tid) + " " + violation.what);
    }
    return complaints;
  }

 private:
  void Finish() {
    if (!finished_) checker_.Finish();
    finished_ = true;
  }
  ThreadChecker checker_;
  bool finished_ = false;
};

// Born at 100, runs from 110, sleeps from 150, woken at 180, runs from 190, ends at 200.
Story WholeLife() {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(150, 0, kChild, 0)
      .Wake(180, kChild)
      .Switch(190, 0, 0, kChild)
      .Exit(195, kChild)
      .Switch(200, 0, kChild, 0, kStateDead);
  return story;
}

TEST(ThreadChecker, AWholeLifeIsSharedOutToTheNanosecond) {
  Story story = WholeLife();
  EXPECT_THAT(story.Complaints(), IsEmpty());
  const ThreadLife life = story.Life(kChild);
  EXPECT_TRUE(life.born && life.exited && life.ended);
  EXPECT_EQ(life.parent_tid, kParent);
  EXPECT_EQ(life.start_time_ns, 77u);
  EXPECT_EQ(life.comm, "child");
  EXPECT_EQ(life.lifetime_ns(), 100u);
  EXPECT_EQ(life.run_ns, 40u + 10u);
  EXPECT_EQ(life.runnable_ns, 10u + 10u);
  EXPECT_EQ(life.blocked_ns, 30u);
  EXPECT_EQ(life.unknown_ns, 0u);
  EXPECT_EQ(life.runs, 2u);
  EXPECT_EQ(life.sleeps, 1u);
}

TEST(ThreadChecker, AWakeBeforeTheSwitchOutAnswersIt) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Wake(149, kChild)
      .Switch(150, 0, kChild, 0)
      .Switch(190, 0, 0, kChild);
  EXPECT_THAT(story.Complaints(), IsEmpty());
  const ThreadLife life = story.Life(kChild);
  EXPECT_EQ(life.blocked_ns, 0u);
  EXPECT_EQ(life.runnable_ns, 10u + 40u);
  EXPECT_EQ(life.early_wakes, 1u);
}

TEST(ThreadChecker, AWakeThatKeptAThreadFromSleepingAnswersNoLaterSleep) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Wake(120, kChild)
      .Switch(150, 0, kChild, 0)
      .Wake(170, kChild)
      .Switch(190, 0, 0, kChild);
  EXPECT_THAT(story.Complaints(), IsEmpty());
  const ThreadLife life = story.Life(kChild);
  EXPECT_EQ(life.blocked_ns, 20u);
  EXPECT_EQ(life.cancelled_sleeps, 1u);
  EXPECT_EQ(life.early_wakes, 0u);
}

TEST(ThreadChecker, APreemptedThreadIsRunnableWhateverItsState) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(150, 0, kChild, kOther, kStateInterruptible, /*preempted=*/true)
      .Switch(170, 0, kOther, kChild, kStateRunning)
      .Switch(180, 0, kChild, 0, kStateRunning);
  EXPECT_THAT(story.Complaints(), IsEmpty());
  EXPECT_EQ(story.Life(kChild).blocked_ns, 0u);
  EXPECT_EQ(story.Life(kChild).runnable_ns, 10u + 20u);
}

TEST(ThreadChecker, AThreadPreemptedOnItsWayToSleepMayBeWokenMeanwhile) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(150, 0, kChild, kOther, kStateInterruptible, /*preempted=*/true)
      .Wake(160, kChild)
      .Switch(170, 0, kOther, kChild, kStateRunning);
  EXPECT_THAT(story.Complaints(), IsEmpty());
}

TEST(ThreadChecker, ASleepThatNobodyEndedIsFound) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(150, 0, kChild, 0)
      .Switch(190, 0, 0, kChild);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 runs after a sleep that nobody ended"));
}

TEST(ThreadChecker, AnEarlyWakeAnswersOnlyOneSleep) {
  Story story;
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Wake(149, kChild)
      .Switch(150, 0, kChild, 0)
      .Switch(160, 0, 0, kChild)
      .Switch(170, 0, kChild, 0)
      .Switch(190, 0, 0, kChild);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 runs after a sleep that nobody ended"));
}

TEST(ThreadChecker, ASecondWakeOfOneSleepIsFound) {
  Story story = Story();
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(150, 0, kChild, 0)
      .Wake(160, kChild)
      .Wake(161, kChild);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 is woken twice"));
}

TEST(ThreadChecker, WhereTheRecordingEndsBeforeTheLifeItIsToldWhetherItCouldRun) {
  Story asleep;
  asleep.Birth(100, kChild).Switch(110, 0, 0, kChild).Switch(150, 0, kChild, 0);
  EXPECT_FALSE(asleep.Life(kChild).on_its_way);
  Story awake;
  awake.Birth(100, kChild).Switch(110, 0, 0, kChild).Switch(150, 1, 0, kOther);
  EXPECT_TRUE(awake.Life(kChild).on_its_way);
  EXPECT_FALSE(awake.Life(kChild).ended);
  EXPECT_EQ(awake.Life(kChild).run_ns, 40u);
}

TEST(ThreadChecker, ALostSwitchBreaksTheChainOfItsCpu) {
  Story story;
  story.Birth(100, kChild).Switch(110, 0, 0, kChild).Switch(150, 0, kOther, 0);
  EXPECT_THAT(story.Complaints(), ElementsAre("12 leaves CPU 0, which runs 11"));
}

TEST(ThreadChecker, LeavingWithoutRunningIsFound) {
  Story story;
  story.Birth(100, kChild).Switch(110, 3, kChild, 0);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 leaves a CPU without running"));
}

TEST(ThreadChecker, RunningOnTwoCpusIsFound) {
  Story story;
  story.Birth(100, kChild).Switch(110, 0, 0, kChild).Switch(120, 1, 0, kChild);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 runs on two CPUs"));
}

TEST(ThreadChecker, NothingHappensAfterTheEnd) {
  for (const bool wake : {true, false}) {
    Story story = WholeLife();
    if (wake) {
      story.Wake(210, kChild);
    } else {
      story.Switch(210, 1, 0, kChild);
    }
    EXPECT_THAT(story.Complaints(), ElementsAre("11 lives on after its end"));
  }
}

TEST(ThreadChecker, AnEndWithoutAnExitIsFound) {
  Story story;
  story.Birth(100, kChild).Switch(110, 0, 0, kChild).Switch(150, 0, kChild, 0, kStateDead);
  EXPECT_THAT(story.Complaints(), ElementsAre("11 ends without an exit"));
}

TEST(ThreadChecker, TwoBirthsOrExitsAreFoundButATidMayLiveTwice) {
  Story twice;
  twice.Birth(100, kChild).Birth(105, kChild);
  EXPECT_THAT(twice.Complaints(), ElementsAre("11 is born twice"));
  Story exits;
  exits.Birth(100, kChild).Exit(105, kChild).Exit(106, kChild);
  EXPECT_THAT(exits.Complaints(), ElementsAre("11 exits twice"));
  Story reused = WholeLife();
  reused.Birth(300, kChild).Switch(310, 0, 0, kChild);
  EXPECT_THAT(reused.Complaints(), IsEmpty());
}

// It was listed between the moment at which the kernel knew it and that at which it told its birth.
TEST(ThreadChecker, AThreadMayBeListedBeforeItsBirthIsTold) {
  Story listed;
  listed.Task(99, TaskChange::kAlive, kChild, kParent).Birth(100, kChild).Switch(110, 0, 0, kChild);
  EXPECT_THAT(listed.Complaints(), IsEmpty());
}

TEST(ThreadChecker, TimeThatGoesBackIsFound) {
  Story story;
  story.Birth(100, kChild).Switch(110, 0, 0, kChild).Wake(109, kChild);
  EXPECT_THAT(story.Complaints(), ElementsAre("0 time goes back by 1 ns"));
}

TEST(ThreadChecker, WhatAnUnseenThreadHidesIsUnknownAndNoViolation) {
  constexpr int32_t kUnseen = 99;
  // The child is pushed off by an unseen thread and leaves the CPU again without having been seen
  // to come back; later it sleeps, and no wake of it is seen.
  Story story({kUnseen});
  story.Birth(100, kChild)
      .Switch(110, 0, 0, kChild)
      .Switch(120, 0, kChild, kUnseen, kStateRunning, /*preempted=*/true)
      .Switch(150, 0, kChild, 0)
      .Switch(180, 0, 0, kChild)
      .Exit(185, kChild)
      .Switch(190, 0, kChild, 0, kStateDead);
  EXPECT_THAT(story.Complaints(), IsEmpty());
  const ThreadLife life = story.Life(kChild);
  EXPECT_EQ(life.unknown_ns, 30u);
  EXPECT_EQ(life.run_ns, 10u + 10u);
  EXPECT_EQ(life.switches_unseen, 1u);
  EXPECT_EQ(life.sleeps_ended_unseen, 1u);
  EXPECT_EQ(life.wakes_too_many, 0u);
  EXPECT_EQ(life.run_ns + life.runnable_ns + life.blocked_ns + life.unknown_ns, life.lifetime_ns());
}

TEST(ThreadChecker, AnUnseenThreadExcusesOnlyTheCpuItRanOn) {
  Story story({99});
  story.Birth(100, kChild)
      .Switch(110, 0, 0, 99)
      .Switch(120, 1, 0, kOther)
      .Switch(130, 1, kChild, 0);
  EXPECT_THAT(story.Complaints(),
              ElementsAre("11 leaves CPU 1, which runs 12", "11 leaves a CPU without running"));
}

TEST(ThreadChecker, WhoWasThereBeforeTheRecordingIsNotBlamed) {
  Story story;
  story.Task(100, TaskChange::kAlive, kOther, 1)
      .Switch(120, 0, kOther, kParent)
      .Wake(130, kOther)
      .Switch(140, 0, kParent, kOther);
  EXPECT_THAT(story.Complaints(), IsEmpty());
  EXPECT_EQ(story.Life(kOther).unknown_ns, 20u);
  EXPECT_FALSE(story.Life(kOther).born);
  EXPECT_EQ(story.Life(kParent).first_ns, 120u);
}

TEST(ThreadChecker, OneWokenBeforeAnythingElseIsKnownOfItMayHaveBeenRunning) {
  Story was_asleep;
  was_asleep.Wake(110, kOther).Switch(120, 0, 0, kOther);
  EXPECT_THAT(was_asleep.Complaints(), IsEmpty());
  EXPECT_EQ(was_asleep.Life(kOther).unknown_ns, 10u);
  Story was_running;
  was_running.Wake(110, kOther).Switch(120, 0, kOther, 0).Switch(130, 0, 0, kOther);
  EXPECT_THAT(was_running.Complaints(), IsEmpty());
  EXPECT_EQ(was_running.Life(kOther).early_wakes, 1u);
}

}  // namespace
}  // namespace gordian::testing
