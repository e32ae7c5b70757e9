// SPDX-License-Identifier: Apache-2.0
#include "nodes/clock_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "nodes/node_clocks.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(ClockBounds, ReferenceIsItsOwnClock) {
  const ClockBounds bounds;
  EXPECT_EQ(bounds.At(17).lowest_ns, 0);
  EXPECT_EQ(bounds.At(17).highest_ns, 0);
  EXPECT_EQ(ClockMap(bounds).ToReference(123'456'789), 123'456'789u);
}

TEST(ClockBounds, WhatIsKnownFadesWithTheDrift) {
  const ClockBounds bounds({{kSecond, 500, 100}}, 1000);  // a microsecond in a second
  EXPECT_EQ(bounds.At(kSecond).lowest_ns, 400);
  EXPECT_EQ(bounds.At(3 * kSecond).lowest_ns, 400 - 2000);
  EXPECT_EQ(bounds.At(0).highest_ns, 600 + 1000);
}

TEST(ClockBounds, MeasurementsNarrowEachOther) {
  // The second is vague; the first is better, even after a second of drift.
  const ClockBounds bounds({{kSecond, 0, 100}, {2 * kSecond, 3000, 5000}}, 1000);
  EXPECT_EQ(bounds.At(2 * kSecond).lowest_ns, -1100);
  EXPECT_EQ(bounds.At(2 * kSecond).highest_ns, 1100);
}

TEST(ClockBounds, MessagesTightenWithinWhatWasMeasured) {
  ClockBounds bounds({{kSecond, 0, 10'000}}, 1000);
  EXPECT_EQ(bounds.Tighten({{kSecond, -500, true}, {kSecond, 700, false}}), 0u);
  EXPECT_EQ(bounds.At(kSecond).lowest_ns, -500);
  EXPECT_EQ(bounds.At(kSecond).highest_ns, 700);
  EXPECT_EQ(bounds.BoundWithin(kSecond, kSecond), 600u);
}

TEST(ClockBounds, MessageThatContradictsIsCountedAndLeftOut) {
  ClockBounds bounds({{kSecond, 0, 1000}}, 1000);
  EXPECT_EQ(bounds.Tighten({{kSecond, 1500, true}, {kSecond, -2000, false}}), 2u);
  EXPECT_EQ(bounds.At(kSecond).lowest_ns, -1000);
  EXPECT_EQ(bounds.At(kSecond).highest_ns, 1000);
}

TEST(ClockBounds, MessageNeverWidens) {
  ClockBounds bounds({{kSecond, 0, 1000}}, 1000);
  EXPECT_EQ(bounds.Tighten({{kSecond, -5000, true}, {kSecond, 5000, false}}), 0u);
  EXPECT_EQ(bounds.BoundWithin(kSecond, kSecond), 1000u);
}

TEST(ClockBounds, AfterAJumpOnlyNewMeasurementsCount) {
  const ClockBounds bounds({{kSecond, 0, 100}, {2 * kSecond, 1'000'000, 100}}, 1000);
  EXPECT_EQ(bounds.At(kSecond).highest_ns, 100);
  EXPECT_EQ(bounds.At(2 * kSecond).lowest_ns, 999'900);
  EXPECT_EQ(bounds.At(2 * kSecond - 1).highest_ns, 100 + 1000);
}

TEST(ClockBounds, BoundIsThatOfTheWidestPlace) {
  const ClockBounds bounds({{0, 0, 100}, {2 * kSecond, 0, 100}}, 1000);
  EXPECT_EQ(bounds.BoundWithin(0, 2 * kSecond), 1100u);  // in the middle
}

TEST(ClockBounds, BoundIsToldToANanosecond) {
  const ClockBounds bounds({{0, 0, 100}, {30'000, 3, 101}, {70'000, 1, 99}}, 99'999);
  uint64_t widest_ns = 0;
  for (uint64_t at_ns = 0; at_ns <= 70'000; ++at_ns)
    widest_ns = std::max(widest_ns, bounds.At(at_ns).half_width_ns());
  EXPECT_LE(bounds.BoundWithin(0, 70'000), widest_ns);
  EXPECT_GE(bounds.BoundWithin(0, 70'000) + 1, widest_ns);
}

// A clock that drifts at random within its limit: the interval always holds the truth, in any order
// of learning.
TEST(ClockBounds, TruthIsAlwaysWithin) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    constexpr uint64_t kDriftPpb = 100'000;
    constexpr uint64_t kBegin = 10 * kSecond;
    std::vector<int64_t> truth{static_cast<int64_t>(below(10 * kSecond)) - 5'000'000'000};
    for (int ms = 1; ms <= 3000; ++ms) {
      truth.push_back(truth.back() + static_cast<int64_t>(below(201)) - 100);  // ns in a ms
    }
    const auto at = [&](uint64_t ms) { return truth[ms]; };
    std::vector<ClockBounds::Measured> measured;
    for (uint64_t ms = 0; ms <= 3000; ms += 1000) {
      const uint64_t bound_ns = 20'000 + below(30'000);
      measured.push_back(
          {ms * 1'000'000,
           at(ms) + static_cast<int64_t>(below(2 * bound_ns)) - static_cast<int64_t>(bound_ns),
           bound_ns});
    }
    ClockBounds bounds(measured, kDriftPpb);
    const uint64_t before_ns = bounds.BoundWithin(kBegin, kBegin + 3 * kSecond);
    std::vector<OffsetLimit> limits;
    for (int i = 0; i < 2000; ++i) {
      const uint64_t ms = below(3001);
      const auto transit_ns = static_cast<int64_t>(1000 + below(50'000));
      const bool lowest = below(2) == 0;
      limits.push_back(
          {kBegin + ms * 1'000'000, lowest ? at(ms) - transit_ns : at(ms) + transit_ns, lowest});
    }
    EXPECT_EQ(bounds.Tighten(limits), 0u);
    const ClockMap map(bounds);
    uint64_t last_ns = 0;
    size_t cursor = 0;
    for (uint64_t ms = 0; ms <= 3000; ++ms) {
      const OffsetRange range = bounds.At(kBegin + ms * 1'000'000);
      ASSERT_LE(range.lowest_ns, at(ms));
      ASSERT_GE(range.highest_ns, at(ms));
      const uint64_t moved_ns = map.ToReference(kBegin + ms * 1'000'000, cursor);
      ASSERT_GE(moved_ns, last_ns);
      last_ns = moved_ns;
    }
    EXPECT_LT(bounds.BoundWithin(kBegin, kBegin + 3 * kSecond), before_ns / 2);
  }
}

TEST(ClockMap, StaysWithinTheBoundsAndKeepsOrder) {
  const ClockBounds bounds({{kSecond, 1000, 10}, {2 * kSecond, 51'000, 10}}, 100'000);
  const ClockMap map(bounds);
  uint64_t last_ns = 0;
  size_t at = 0;
  for (uint64_t time_ns = kSecond; time_ns <= 2 * kSecond; time_ns += 999'983) {
    const uint64_t moved_ns = map.ToReference(time_ns, at);
    const auto offset_ns = static_cast<int64_t>(moved_ns - time_ns);
    EXPECT_GE(offset_ns, bounds.At(time_ns).lowest_ns);
    EXPECT_LE(offset_ns, bounds.At(time_ns).highest_ns);
    EXPECT_GT(moved_ns, last_ns);
    EXPECT_EQ(moved_ns, map.ToReference(time_ns));
    last_ns = moved_ns;
  }
}

pb::Session Measured(const std::string& node, const std::string& reference, int64_t offset_ns) {
  pb::Session session;
  session.mutable_host()->set_boot_id("boot of " + node);
  pb::NodeClock& clock = *session.mutable_node_clock();
  clock.set_node(node);
  clock.set_reference(reference);
  if (node == reference) return session;
  clock.set_reference_boot_id("boot of " + reference);
  clock.set_drift_ppb(100);
  pb::ClockOffset& offset = *clock.add_offsets();
  offset.set_monotonic_ns(kSecond);
  offset.set_offset_ns(offset_ns);
  offset.set_bound_ns(40);
  return session;
}

TEST(NodeClocks, ReferenceIsThatOfTheSession) {
  const pb::Session a = Measured("a", "b", 300);
  const pb::Session b = Measured("b", "b", 0);
  const NodeClocks clocks = ClocksOf({{"a", &a}, {"b", &b}});
  EXPECT_EQ(clocks.reference, "b");
  EXPECT_EQ(clocks.bounds[0].At(kSecond).lowest_ns, 260);
  EXPECT_EQ(clocks.bounds[1].At(kSecond).highest_ns, 0);
  EXPECT_EQ(clocks.is_measured, (std::vector<uint8_t>{1, 1}));
}

TEST(NodeClocks, ReferenceNeedNotBeThere) {
  const pb::Session a = Measured("a", "gone", 300);
  const pb::Session b = Measured("b", "gone", -300);
  const NodeClocks clocks = ClocksOf({{"a", &a}, {"b", &b}});
  EXPECT_EQ(clocks.reference, "gone");
  EXPECT_EQ(clocks.bounds[0].At(kSecond).middle_ns(), 300);
  EXPECT_EQ(clocks.bounds[1].At(kSecond).middle_ns(), -300);
}

TEST(NodeClocks, UnmeasuredNodeIsPlacedByItsWallClock) {
  pb::Session a = Measured("a", "a", 0);
  a.add_clocks()->set_realtime_ns(1000 * int64_t{kSecond});
  pb::Session b;
  b.mutable_host()->set_boot_id("boot of b");
  pb::ClockPair& pair = *b.add_clocks();
  pair.set_monotonic_ns(7 * kSecond);
  pair.set_realtime_ns(1000 * int64_t{kSecond});
  const NodeClocks clocks = ClocksOf({{"a", &a}, {"b", &b}});
  EXPECT_EQ(clocks.is_measured, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(clocks.bounds[1].At(0).middle_ns(), -7 * int64_t{kSecond});
  EXPECT_EQ(clocks.bounds[1].At(0).half_width_ns(), kUnmeasuredBoundNs);
}

TEST(NodeClocks, NodesOfOneKernelHaveOneClock) {
  pb::Session a, b;
  a.mutable_host()->set_boot_id("one");
  b.mutable_host()->set_boot_id("one");
  const NodeClocks clocks = ClocksOf({{"a", &a}, {"b", &b}});
  EXPECT_EQ(clocks.is_measured, (std::vector<uint8_t>{1, 1}));
  EXPECT_EQ(clocks.bounds[1].At(5).half_width_ns(), 0u);
}

}  // namespace
}  // namespace gordian
