// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>

#include "recorder/clocks/clock_exchange.h"
#include "recorder/clocks/clock_follower.h"
#include "recorder/clocks/node_clock_table.h"

namespace gordian {
namespace {

// A network between two clocks: ours advances by the time of each way, the other's runs beside it.
class FakeNetwork {
 public:
  FakeNetwork(int64_t offset_ns, int64_t drift_ppb)
      : offset_ns_(offset_ns), drift_ppb_(drift_ppb) {}

  int64_t TrueOffsetNs(uint64_t at_ns) const {
    return offset_ns_ + static_cast<int64_t>(at_ns) / 1000 * drift_ppb_ / 1'000'000;
  }
  absl::StatusOr<MeasuredClock> Measure(int exchanges) {
    return MeasureClock(
        [this]() -> absl::StatusOr<RemoteClock> {
          now_ns_ += way_ns_(random_);
          const uint64_t remote_ns = now_ns_ + static_cast<uint64_t>(TrueOffsetNs(now_ns_));
          now_ns_ += way_ns_(random_);
          return RemoteClock{.monotonic_ns = remote_ns, .boot_id = boot_id};
        },
        exchanges, [this] { return now_ns_; });
  }
  void Pass(uint64_t span_ns) { now_ns_ += span_ns; }
  uint64_t now_ns() const { return now_ns_; }

  std::string boot_id = "boot 1";

 private:
  const int64_t offset_ns_;
  const int64_t drift_ppb_;
  uint64_t now_ns_ = 1'000'000'000;
  std::mt19937 random_{7};
  std::uniform_int_distribution<uint64_t> way_ns_{20'000, 900'000};  // each way its own
};

uint64_t Distance(int64_t one, int64_t other) {
  return static_cast<uint64_t>(std::llabs(one - other));
}

TEST(ClockExchange, TheTrueOffsetIsWithinTheBoundWhateverEachWayTakes) {
  for (const int64_t offset_ns : {int64_t{-5'000'000'000}, int64_t{0}, int64_t{5'000'000'000}}) {
    FakeNetwork network(offset_ns, 0);
    for (int i = 0; i < 200; ++i) {
      const auto measured = network.Measure(1);
      ASSERT_TRUE(measured.ok());
      EXPECT_LE(Distance(measured->offset.offset_ns(), offset_ns), measured->offset.bound_ns());
    }
  }
}

TEST(ClockExchange, TheShortestRoundTripOfSeveralIsTaken) {
  uint64_t now_ns = 0;
  const uint64_t ways_ns[] = {500, 100, 900};
  int exchange = 0;
  const auto measured = MeasureClock(
      [&]() -> absl::StatusOr<RemoteClock> {
        now_ns += 2 * ways_ns[exchange++];
        return RemoteClock{.monotonic_ns = 7'000, .boot_id = "b"};
      },
      3, [&] { return now_ns; });
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->offset.bound_ns(), 100u);
  EXPECT_EQ(measured->offset.monotonic_ns(), 1'100u);
  EXPECT_EQ(measured->offset.offset_ns(), 5'900);
}

TEST(ClockExchange, AFailedExchangeFailsTheMeasurement) {
  int asked = 0;
  const auto measured = MeasureClock(
      [&]() -> absl::StatusOr<RemoteClock> {
        if (++asked == 2) return absl::UnavailableError("gone");
        return RemoteClock{};
      },
      3, [] { return uint64_t{0}; });
  EXPECT_TRUE(absl::IsUnavailable(measured.status()));
}

TEST(NodeClockTable, TheBoundHoldsBetweenMeasurementsOfADriftingClock) {
  for (const int64_t drift_ppb : {-100'000, 100'000}) {
    FakeNetwork network(5'000'000'000, drift_ppb);
    NodeClockTable table("b", "a");
    for (int i = 0; i < 100; ++i) {
      table.Add(*network.Measure(4));
      network.Pass(2'000'000'000);
      const pb::ClockOffset& newest = table.clock().offsets(table.clock().offsets_size() - 1);
      EXPECT_LE(Distance(newest.offset_ns(), network.TrueOffsetNs(network.now_ns())),
                BoundAt(newest, network.now_ns()));
    }
    EXPECT_EQ(table.clock().contradictions(), 0u);
  }
}

MeasuredClock Measured(uint64_t at_ns, int64_t offset_ns, uint64_t bound_ns) {
  MeasuredClock measured;
  measured.offset.set_monotonic_ns(at_ns);
  measured.offset.set_offset_ns(offset_ns);
  measured.offset.set_bound_ns(bound_ns);
  measured.boot_id = "boot";
  return measured;
}

TEST(NodeClockTable, AJumpIsCounted) {
  NodeClockTable table("b", "a");
  table.Add(Measured(1'000'000'000, 500, 100));
  table.Add(Measured(2'000'000'000, 600, 100));
  EXPECT_EQ(table.clock().contradictions(), 0u);
  table.Add(Measured(3'000'000'000, 5'000'000, 100));  // a second allows 250 us
  EXPECT_EQ(table.clock().contradictions(), 1u);
}

TEST(NodeClockTable, AReferenceBootedAgainBeginsANewTable) {
  NodeClockTable table("b", "a");
  table.Add(Measured(1, 500, 100));
  MeasuredClock after = Measured(2, -9'000, 100);
  after.boot_id = "another boot";
  table.Add(after);
  ASSERT_EQ(table.clock().offsets_size(), 1);
  EXPECT_EQ(table.clock().offsets(0).offset_ns(), -9'000);
  EXPECT_EQ(table.clock().contradictions(), 1u);
}

TEST(NodeClockTable, ALongSessionKeepsTheFirstAndTheTighterOfNeighbours) {
  NodeClockTable table("b", "a");
  for (uint64_t i = 0; i <= NodeClockTable::kMaxOffsets; ++i) {
    table.Add(Measured(i * 1000, 0, i % 2 == 0 ? 10 : 1000));
  }
  const auto& offsets = table.clock().offsets();
  EXPECT_LT(offsets.size(), NodeClockTable::kMaxOffsets * 2 / 3);
  EXPECT_EQ(offsets.Get(0).monotonic_ns(), 0u);
  EXPECT_EQ(offsets.Get(offsets.size() - 1).monotonic_ns(), NodeClockTable::kMaxOffsets * 1000u);
  int loose = 0;
  for (int i = 0; i < offsets.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(offsets.Get(i).monotonic_ns(), offsets.Get(i - 1).monotonic_ns());
    }
    loose += offsets.Get(i).bound_ns() == 1000 ? 1 : 0;
  }
  EXPECT_LE(loose, 1);  // the last had no neighbour
}

TEST(ClockFollower, MeasuresAtTheStartAndWhenAskedTo) {
  std::atomic<int> asked = 0;
  std::mutex mutex;
  pb::NodeClock told;
  ClockFollower follower(
      "b", "a",
      [&]() -> absl::StatusOr<MeasuredClock> {
        if (++asked == 2) return absl::UnavailableError("the reference is gone");
        return Measured(static_cast<uint64_t>(asked) * 1000, 42, 5);
      },
      [&](const pb::NodeClock& clock) {
        const std::lock_guard lock(mutex);
        told = clock;
      });
  while (asked == 0) std::this_thread::yield();  // the thread's own first one
  follower.MeasureNow();
  while (asked < 2) follower.MeasureNow();
  follower.MeasureNow();
  EXPECT_EQ(follower.newest().reference, "a");
  ASSERT_TRUE(follower.newest().offset.has_value());
  EXPECT_EQ(follower.newest().offset->offset_ns(), 42);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(told.node(), "b");
  EXPECT_EQ(told.failed_exchanges(), 1u);
  EXPECT_GE(told.offsets_size(), 2);
}

}  // namespace
}  // namespace gordian
