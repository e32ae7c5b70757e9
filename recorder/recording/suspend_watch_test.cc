// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/suspend_watch.h"

#include <gtest/gtest.h>

#include "recorder/sources/clock.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(SuspendWatch, AMachineThatStaysAwakeHasNone) {
  pb::Session session;
  SuspendWatch watch(5 * kSecond);  // it slept before the recording
  watch.Look(1 * kSecond, 5 * kSecond, session);
  watch.Look(2 * kSecond, 5 * kSecond + 300, session);  // the clocks are not read at one instant
  watch.Look(3 * kSecond, 5 * kSecond - 300, session);
  EXPECT_EQ(session.suspends_size(), 0);
  EXPECT_EQ(session.counters_size(), 0);
}

TEST(SuspendWatch, EachSleepIsNotedOnce) {
  pb::Session session;
  SuspendWatch watch(0);
  EXPECT_TRUE(watch.Look(1 * kSecond, 3600 * kSecond, session));
  EXPECT_FALSE(watch.Look(2 * kSecond, 3600 * kSecond, session));
  EXPECT_TRUE(watch.Look(3 * kSecond, 3605 * kSecond, session));
  ASSERT_EQ(session.suspends_size(), 2);
  EXPECT_EQ(session.suspends(0).noticed_ns(), 1 * kSecond);
  EXPECT_EQ(session.suspends(0).slept_ns(), 3600 * kSecond);
  EXPECT_EQ(session.suspends(1).slept_ns(), 5 * kSecond);
  EXPECT_EQ(CounterValue(session, "machine_suspends"), 2u);
}

TEST(SuspendWatch, ManySleepsTakeBoundedRoom) {
  pb::Session session;
  SuspendWatch watch(0);
  for (uint64_t i = 1; i <= 1005; ++i) watch.Look(i, i * kSecond, session);
  EXPECT_EQ(session.suspends_size(), SuspendWatch::kMostSuspends);
  EXPECT_EQ(session.suspends(999).slept_ns(), 6 * kSecond);
  EXPECT_EQ(CounterValue(session, "machine_suspends"), 1005u);
}

TEST(SuspendWatch, TheClocksOfThisMachineTellNone) {
  pb::Session session;
  SuspendWatch watch(SleptSinceBootNs());
  for (int i = 0; i < 10'000; ++i) watch.Look(MonotonicNowNs(), SleptSinceBootNs(), session);
  EXPECT_EQ(session.suspends_size(), 0);
}

}  // namespace
}  // namespace gordian
