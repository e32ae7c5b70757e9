// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/wait_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Kind = WaitCause::Kind;

constexpr int kWaiter = 10;
constexpr int kWaker = 20;
constexpr int kOther = 30;

TraceEvent Switch(int prev, int next, uint32_t state, bool preempted = false) {
  TraceEvent event{};
  event.kind = EventKind::kSwitch;
  event.sched_switch = {prev, next, state, preempted};
  return event;
}

TraceEvent Wake(WakeEvent wake) {
  TraceEvent event{};
  event.kind = EventKind::kWake;
  event.wake = wake;
  return event;
}

TraceEvent WakeBy(int waker) { return Wake({.wakee_tid = kWaiter, .waker_tid = waker}); }

CauseCounts CausesOfWaiter(std::initializer_list<TraceEvent> events) {
  WaitCauses causes;
  for (const TraceEvent& event : events) causes.Add(event);
  return causes.Of(kWaiter);
}

TEST(WaitCauses, TheFirstWakeEndsTheWait) {
  EXPECT_THAT(CausesOfWaiter({Switch(kWaiter, 0, kStateInterruptible), WakeBy(kWaker),
                              WakeBy(kOther), Switch(0, kWaiter, 0)}),
              ElementsAre(Pair(WaitCause{Kind::kThread, kWaker}, 1)));
}

TEST(WaitCauses, AWakeJustBeforeTheSwitchOutEndsTheWaitIfNoOtherDoes) {
  EXPECT_THAT(CausesOfWaiter(
                  {WakeBy(kWaker), Switch(kWaiter, 0, kStateInterruptible), Switch(0, kWaiter, 0)}),
              ElementsAre(Pair(WaitCause{Kind::kThread, kWaker}, 1)));
}

TEST(WaitCauses, WaitsThatBeginAfterTheCountWasTakenDoNotCount) {
  WaitCauses causes;
  causes.CountUntil(kWaiter, 15);
  const auto at = [&causes](uint64_t time_ns, TraceEvent event) {
    event.time_ns = time_ns;
    causes.Add(event);
  };
  for (const uint64_t start_ns : {10, 15, 20}) {
    at(start_ns, Switch(kWaiter, 0, kStateInterruptible));
    at(start_ns + 1, WakeBy(kWaker));
    at(start_ns + 2, Switch(0, kWaiter, 0));
  }
  EXPECT_THAT(causes.Of(kWaiter), ElementsAre(Pair(WaitCause{Kind::kThread, kWaker}, 2)));
}

TEST(WaitCauses, AWakeOfARunningThreadDoesNotEndItsLaterWait) {
  EXPECT_THAT(CausesOfWaiter({WakeBy(kOther), Switch(kWaiter, 0, kStateInterruptible),
                              WakeBy(kWaker), Switch(0, kWaiter, 0)}),
              ElementsAre(Pair(WaitCause{Kind::kThread, kWaker}, 1)));
}

TEST(WaitCauses, AWakeOfAnEarlierRunIsForgotten) {
  EXPECT_THAT(
      CausesOfWaiter({WakeBy(kWaker), Switch(kWaiter, 0, kStateRunning), Switch(0, kWaiter, 0),
                      Switch(kWaiter, 0, kStateInterruptible), Switch(0, kWaiter, 0)}),
      ElementsAre(Pair(WaitCause{}, 1)));
}

TEST(WaitCauses, PreemptedAndDyingThreadsDoNotWait) {
  EXPECT_THAT(CausesOfWaiter({Switch(kWaiter, 0, kStateInterruptible, true), Switch(0, kWaiter, 0),
                              Switch(kWaiter, 0, kStateRunning), Switch(0, kWaiter, 0),
                              Switch(kWaiter, 0, kStateDead), Switch(0, kWaiter, 0)}),
              IsEmpty());
}

TEST(WaitCauses, AWaitThatHasNotEndedHasNoCause) {
  EXPECT_THAT(CausesOfWaiter({Switch(kWaiter, 0, kStateInterruptible), WakeBy(kWaker)}), IsEmpty());
}

TEST(WaitCauses, EachContextIsACauseOfItsOwn) {
  struct Case {
    WakeEvent wake;
    WaitCause cause;
  };
  const uint32_t disk = DiskId(254, 0);
  const Case cases[] = {
      {{.waker_tid = kWaker}, {Kind::kThread, kWaker}},
      {{.waker_tid = kOther, .context = WakeContext::kTimer}, {Kind::kTimer}},
      {{.waker_tid = kOther, .context = WakeContext::kNmi}, {Kind::kNmi}},
      {{.context = WakeContext::kSoftirq,
        .device_kind = DeviceKind::kDisk,
        .vector = 4,
        .device = disk},
       {Kind::kDisk, 0, disk}},
      {{.context = WakeContext::kHardirq,
        .device_kind = DeviceKind::kDisk,
        .vector = 27,
        .device = disk},
       {Kind::kDisk, 0, disk}},
      {{.waker_tid = kWaker,
        .context = WakeContext::kSoftirq,
        .device_kind = DeviceKind::kNic,
        .vector = 3,
        .device = 1},
       {Kind::kPacket, kWaker, 1}},
      {{.waker_tid = kOther,
        .context = WakeContext::kSoftirq,
        .waker_is_cause = false,
        .vector = 3},
       {Kind::kUnknownPacket, kOther}},
      {{.waker_tid = kOther, .context = WakeContext::kSoftirq, .vector = 9},
       {Kind::kSoftirq, 0, 0, 9}},
      {{.waker_tid = kOther, .context = WakeContext::kHardirq, .vector = 27},
       {Kind::kHardirq, 0, 0, 27}},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(WaitCause::Of(each.wake), each.cause) << "vector " << each.wake.vector;
  }
}

}  // namespace
}  // namespace gordian
