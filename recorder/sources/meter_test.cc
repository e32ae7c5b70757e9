// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/meter.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace gordian {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1000 * kMs;

TEST(RateMeter, TellsTheMeanSinceTheReadingBefore) {
  RateMeter meter;
  uint64_t missed = 0;
  EXPECT_FALSE(meter.Read(5 * kSecond, 1000, missed));
  const auto reading = meter.Read(7 * kSecond, 1500, missed);
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->per_second, 250);
  EXPECT_EQ(reading->interval_ns, 2 * kSecond);
  EXPECT_EQ(missed, 0u);
}

TEST(RateMeter, AStepBackIsMissedAndTheNextReadingCountsFromThere) {
  RateMeter meter;
  uint64_t missed = 0;
  meter.Read(1 * kSecond, 1000, missed);
  EXPECT_FALSE(meter.Read(2 * kSecond, 10, missed));
  EXPECT_EQ(missed, 1u);
  EXPECT_DOUBLE_EQ(meter.Read(3 * kSecond, 30, missed)->per_second, 20);
  EXPECT_EQ(missed, 1u);
}

TEST(RateMeter, ALeapThatNoDeviceMakesIsMissed) {
  RateMeter meter;
  uint64_t missed = 0;
  meter.Read(1 * kSecond, 0, missed);
  EXPECT_FALSE(meter.Read(2 * kSecond, ~uint64_t{0}, missed));
  EXPECT_EQ(missed, 1u);
}

TEST(RateMeter, ATimeNotAfterTheLastIsMissedAndChangesNothing) {
  RateMeter meter;
  uint64_t missed = 0;
  meter.Read(2 * kSecond, 100, missed);
  EXPECT_FALSE(meter.Read(2 * kSecond, 900, missed));
  EXPECT_FALSE(meter.Read(1 * kSecond, 900, missed));
  EXPECT_EQ(missed, 2u);
  EXPECT_DOUBLE_EQ(meter.Read(3 * kSecond, 300, missed)->per_second, 200);
}

TEST(TimeShareMeter, RoundingToTicksDoesNotAddUp) {
  // A counter that grows with the clock but is shown in steps of 10 ms, read every 48 ms: the whole
  // of the time must come out except for the last step, and no interval may hold more than itself.
  TimeShareMeter meter(10 * kMs);
  uint64_t missed = 0;
  double told_ns = 0;
  constexpr int kReadings = 200;
  meter.Read(1 * kSecond, 0, missed);
  for (int reading = 1; reading <= kReadings; ++reading) {
    const uint64_t passed_ns = reading * 48 * kMs;
    const auto share = meter.Read(kSecond + passed_ns, passed_ns / (10 * kMs) * 10 * kMs, missed);
    ASSERT_TRUE(share);
    EXPECT_LE(share->per_second, 1e9);
    told_ns += share->per_second * 48e6 / 1e9;
  }
  EXPECT_GE(told_ns, kReadings * 48e6 - 10e6);
  EXPECT_EQ(missed, 0u);
}

TEST(TimeShareMeter, ASmallStepBackIsRoundingAndALargeOneIsMissed) {
  TimeShareMeter meter(10 * kMs);
  uint64_t missed = 0;
  meter.Read(1 * kSecond, 500 * kMs, missed);
  EXPECT_DOUBLE_EQ(meter.Read(2 * kSecond, 490 * kMs, missed)->per_second, 0);
  EXPECT_EQ(missed, 0u);
  // Nothing is told twice: the way back up to where it stood does not count.
  EXPECT_DOUBLE_EQ(meter.Read(3 * kSecond, 600 * kMs, missed)->per_second, 0.1e9);
  EXPECT_FALSE(meter.Read(4 * kSecond, 300 * kMs, missed));
  EXPECT_EQ(missed, 1u);
  EXPECT_DOUBLE_EQ(meter.Read(5 * kSecond, 800 * kMs, missed)->per_second, 0.5e9);
}

TEST(TimeShareMeter, ALeapBeyondTheClockIsMissed) {
  TimeShareMeter meter(10 * kMs);
  uint64_t missed = 0;
  meter.Read(1 * kSecond, 0, missed);
  EXPECT_FALSE(meter.Read(2 * kSecond, 5 * kSecond, missed));
  EXPECT_EQ(missed, 1u);
  EXPECT_DOUBLE_EQ(meter.Read(3 * kSecond, 5 * kSecond, missed)->per_second, 0);
}

}  // namespace
}  // namespace gordian
