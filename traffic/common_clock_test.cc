// SPDX-License-Identifier: Apache-2.0
#include "traffic/common_clock.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

pb::Session Measured(const std::string& node, std::vector<std::pair<uint64_t, int64_t>> offsets) {
  pb::Session session;
  session.mutable_node_clock()->set_node(node);
  session.mutable_node_clock()->set_reference("a");
  for (const auto& [time_ns, offset_ns] : offsets) {
    pb::ClockOffset* offset = session.mutable_node_clock()->add_offsets();
    offset->set_monotonic_ns(time_ns);
    offset->set_offset_ns(offset_ns);
    offset->set_bound_ns(7);
  }
  return session;
}

TEST(CommonClock, BetweenTwoMeasurementsItIsAStraightLineAndOutsideTheNearest) {
  const ClockShift shift({{2000, 500}, {1000, 100}});
  EXPECT_EQ(shift.Apply(0), 100u);
  EXPECT_EQ(shift.Apply(1500), 1800u);
  EXPECT_EQ(shift.Apply(3000), 3500u);
  EXPECT_EQ(ClockShift().Apply(5), 5u);
}

TEST(CommonClock, NothingOverflows) {
  EXPECT_EQ(ClockShift({{0, INT64_MAX}}).Apply(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(ClockShift({{0, INT64_MIN}}).Apply(5), 0u);
  EXPECT_LE(ClockShift({{0, INT64_MIN}, {UINT64_MAX, INT64_MAX}}).Apply(UINT64_MAX / 2),
            UINT64_MAX);
}

TEST(CommonClock, TheMeasuredOneIsPreferred) {
  const pb::Session a = Measured("a", {}), b = Measured("b", {{0, -50}});
  const CommonClock clock = FindCommonClock({&a, &b});
  EXPECT_EQ(clock.kind, TrafficClock::kMeasured);
  EXPECT_EQ(clock.bound_ns, 7u);
  EXPECT_EQ(clock.shifts[0].Apply(100), 100u);
  EXPECT_EQ(clock.shifts[1].Apply(100), 50u);
}

TEST(CommonClock, ElseTheClockOfDayIsTrusted) {
  pb::Session a = Measured("a", {}), b;  // b was not measured
  for (pb::Session* session : {&a, &b}) {
    pb::ClockPair* pair = session->add_clocks();
    pair->set_monotonic_ns(session == &a ? 100 : 900);
    pair->set_realtime_ns(5000);
  }
  const CommonClock clock = FindCommonClock({&a, &b});
  EXPECT_EQ(clock.kind, TrafficClock::kRealtime);
  EXPECT_EQ(clock.shifts[0].Apply(101), clock.shifts[1].Apply(901));
  b.clear_clocks();
  EXPECT_EQ(FindCommonClock({&a, &b}).kind, TrafficClock::kUnknown);
}

}  // namespace
}  // namespace gordian
