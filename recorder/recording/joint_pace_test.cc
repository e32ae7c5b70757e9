// SPDX-License-Identifier: Apache-2.0
// Nodes of one session, each with a clock and a cost of its own, on simulated time.
#include "recorder/recording/joint_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "recorder/clocks/node_clock_table.h"

namespace gordian {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kRoundNs = 20'000'000;
constexpr uint64_t kStartNs = 5'000 * kSecondNs;
constexpr int kCpus = 2;
constexpr double kBudget = 0.02;
constexpr uint64_t kBoundNs = 300'000;

// A node's clock against the reference's, measured every two seconds with an error within a bound.
class SimulatedClock {
 public:
  SimulatedClock(int64_t skew_ns, int64_t drift_ppm, uint32_t seed)
      : skew_ns_(skew_ns), drift_ppm_(drift_ppm), random_(seed), table_("node", "reference") {}

  uint64_t NodeTime(uint64_t reference_ns) const {
    return reference_ns +
           static_cast<uint64_t>(skew_ns_ + static_cast<int64_t>(reference_ns - kStartNs) /
                                                1'000'000 * drift_ppm_);
  }
  void MeasureAt(uint64_t reference_ns) {
    if (reference_ns < next_ns_) return;
    next_ns_ = reference_ns + 2 * kSecondNs;
    std::uniform_int_distribution<int64_t> error(-static_cast<int64_t>(kBoundNs),
                                                 static_cast<int64_t>(kBoundNs));
    MeasuredClock measured;
    measured.boot_id = "boot";
    measured.offset.set_monotonic_ns(NodeTime(reference_ns));
    measured.offset.set_offset_ns(static_cast<int64_t>(reference_ns - NodeTime(reference_ns)) +
                                  error(random_));
    measured.offset.set_bound_ns(kBoundNs);
    table_.Add(measured);
  }
  uint64_t Reference(uint64_t node_ns) const {
    const auto best = BestOffset(table_.clock(), node_ns);
    EXPECT_TRUE(best.has_value());
    return node_ns + static_cast<uint64_t>(best->offset_ns());
  }

 private:
  const int64_t skew_ns_;
  const int64_t drift_ppm_;
  std::mt19937 random_;
  uint64_t next_ns_ = 0;
  NodeClockTable table_;
};

struct Window {
  uint64_t from_ns = 0;  // on the reference's true clock
  uint64_t to_ns = 0;
};

struct Course {
  std::vector<Window> windows;
  uint64_t recorded_ns = 0;
  double dearest = 0;  // ten seconds, as a share of all CPUs
  double share = 0;
};

// Recording costs `cost` of all CPUs' time.
Course CourseOf(SimulatedClock clock, const std::function<double(uint64_t)>& cost,
                uint64_t length_ns) {
  clock.MeasureAt(kStartNs);
  const PauseTimetable timetable(42, kSecondNs);
  const uint64_t start_ns = clock.NodeTime(kStartNs);
  JointPace pace(timetable, CostLedger(kBudget, kCpus, start_ns, 0), start_ns,
                 clock.Reference(start_ns));
  Course course;
  std::deque<std::pair<uint64_t, uint64_t>> lately;
  uint64_t lately_ns = 0;
  uint64_t all_ns = 0;
  bool records = true;
  uint64_t since_ns = kStartNs;
  for (uint64_t now_ns = kStartNs; now_ns < kStartNs + length_ns;) {
    // The drain wakes up at the border, by its own reading of the clock.
    const uint64_t reading_ns = clock.Reference(clock.NodeTime(now_ns));
    const uint64_t border_ns = std::max(pace.NextBorderNs(), reading_ns + 1) - reading_ns;
    const uint64_t step_ns = std::min(kRoundNs, border_ns);
    now_ns += step_ns;
    clock.MeasureAt(now_ns);
    const auto cost_ns = static_cast<uint64_t>(
        records ? cost(now_ns - kStartNs) * kCpus * static_cast<double>(step_ns) : 0);
    all_ns += cost_ns;
    lately.emplace_back(now_ns, cost_ns);
    lately_ns += cost_ns;
    for (; lately.front().first + 10 * kSecondNs < now_ns; lately.pop_front())
      lately_ns -= lately.front().second;
    course.dearest =
        std::max(course.dearest, static_cast<double>(lately_ns) / (10.0 * kSecondNs * kCpus));
    const uint64_t node_ns = clock.NodeTime(now_ns);
    const bool goes_on = pace.Records(node_ns, clock.Reference(node_ns), cost_ns);
    if (goes_on == records) continue;
    if (records) course.windows.push_back({since_ns, now_ns});
    since_ns = now_ns;
    records = goes_on;
  }
  if (records) course.windows.push_back({since_ns, kStartNs + length_ns});
  for (const Window& window : course.windows) course.recorded_ns += window.to_ns - window.from_ns;
  course.share = static_cast<double>(all_ns) / static_cast<double>(length_ns * kCpus);
  return course;
}

uint64_t CommonNs(const Course& one, const Course& other) {
  uint64_t common_ns = 0;
  for (const Window& a : one.windows)
    for (const Window& b : other.windows) {
      const uint64_t from_ns = std::max(a.from_ns, b.from_ns);
      const uint64_t to_ns = std::min(a.to_ns, b.to_ns);
      if (from_ns < to_ns) common_ns += to_ns - from_ns;
    }
  return common_ns;
}

std::function<double(uint64_t)> Always(double cost) {
  return [cost](uint64_t) { return cost; };
}

constexpr uint64_t kLengthNs = 300 * kSecondNs;

TEST(JointPace, NodesOfOneCostPauseAtTheSameInstantsWithinTheBoundOfTheirClocks) {
  const Course one = CourseOf({0, 0, 1}, Always(0.1), kLengthNs);
  const Course other = CourseOf({-7'000'000'000, 80, 2}, Always(0.1), kLengthNs);
  ASSERT_GT(one.windows.size(), 20u);
  ASSERT_EQ(one.windows.size(), other.windows.size());
  // Each clock is off by its bound, and by what it may have drifted since.
  constexpr int64_t kApartNs = 2 * (kBoundNs + 500'000);
  for (size_t i = 0; i < one.windows.size(); ++i) {
    EXPECT_LE(std::llabs(static_cast<int64_t>(one.windows[i].from_ns - other.windows[i].from_ns)),
              kApartNs);
    EXPECT_LE(std::llabs(static_cast<int64_t>(one.windows[i].to_ns - other.windows[i].to_ns)),
              kApartNs);
  }
}

TEST(JointPace, ADearNodeRecordsNothingThatACheapOneMisses) {
  const Course cheap = CourseOf({0, 0, 1}, Always(0.04), kLengthNs);
  const Course middling = CourseOf({3'000'000'000, -80, 2}, Always(0.08), kLengthNs);
  const Course dear = CourseOf({-7'000'000'000, 80, 3}, Always(0.15), kLengthNs);
  const Course free = CourseOf({9'000, 0, 4}, Always(0.001), kLengthNs);
  EXPECT_EQ(free.recorded_ns, kLengthNs);
  EXPECT_GT(CommonNs(dear, middling), dear.recorded_ns * 92 / 100);
  EXPECT_GT(CommonNs(dear, cheap), dear.recorded_ns * 92 / 100);
  EXPECT_GT(CommonNs(middling, cheap), middling.recorded_ns * 92 / 100);
}

TEST(JointPace, EachNodeKeepsToItsBudgetAndUsesIt) {
  for (const double cost : {0.025, 0.05, 0.1, 0.2}) {
    const Course course = CourseOf({0, 0, 1}, Always(cost), kLengthNs);
    // Of the slots that all nodes record, whatever they cost, the beginning may be beyond it.
    EXPECT_LE(course.dearest, kBudget * (cost > 0.05 ? 1.25 : 1.02)) << cost;
    EXPECT_GE(course.share, kBudget * 0.55) << cost;
  }
}

TEST(JointPace, ALoadThatGrowsAndEndsIsFollowed) {
  const auto cost = [](uint64_t passed_ns) {
    return passed_ns / (50 * kSecondNs) % 2 == 0 ? 0.005 : 0.2;
  };
  const Course course = CourseOf({0, 0, 1}, cost, kLengthNs);
  EXPECT_LE(course.dearest, kBudget * 1.25);
  EXPECT_GT(course.recorded_ns, kLengthNs / 3);
}

TEST(JointPace, ATwentiethIsRecordedByAllNodesWhateverItCosts) {
  const Course one = CourseOf({0, 0, 1}, Always(0.9), kLengthNs);
  const Course other = CourseOf({1'000'000'000, 50, 2}, Always(0.7), kLengthNs);
  EXPECT_GE(one.windows.size(), 12u);
  EXPECT_GE(CommonNs(one, other), one.recorded_ns * 9 / 10);
}

TEST(PauseTimetable, SlotsFollowEachOtherWithoutGapsAndHaveNoRhythm) {
  const PauseTimetable timetable(7, kSecondNs);
  uint64_t shortest_ns = UINT64_MAX;
  uint64_t longest_ns = 0;
  PauseTimetable::Slot slot = timetable.At(kStartNs);
  for (int i = 0; i < 1'000; ++i) {
    const PauseTimetable::Slot next = timetable.At(slot.end_ns);
    ASSERT_EQ(next.begin_ns, slot.end_ns);
    ASSERT_EQ(timetable.At(slot.end_ns - 1).begin_ns, slot.begin_ns);
    shortest_ns = std::min(shortest_ns, slot.end_ns - slot.begin_ns);
    longest_ns = std::max(longest_ns, slot.end_ns - slot.begin_ns);
    slot = next;
  }
  EXPECT_GE(shortest_ns, kSecondNs / 2);
  EXPECT_LE(longest_ns, kSecondNs * 3 / 2);
  EXPECT_GT(longest_ns - shortest_ns, kSecondNs / 2);
}

TEST(PauseTimetable, AnySlotNumberIsSpreadEvenlyOverTime) {
  for (const double share : {0.05, 0.1, 0.5}) {
    const PauseTimetable timetable(9, kSecondNs);
    PauseTimetable::Slot slot = timetable.At(kStartNs);
    int since = 0;
    for (int i = 0; i < 1'000; ++i) {
      since = slot.number < share ? 0 : since + 1;
      ASSERT_LE(since, 3 / share);
      slot = timetable.At(slot.end_ns);
    }
  }
}

TEST(PauseTimetable, AnyTimeAndAnyLengthGiveASlot) {
  for (const uint64_t slot_ns : {uint64_t{0}, uint64_t{1}, kSecondNs, UINT64_MAX / 4}) {
    const PauseTimetable timetable(1, slot_ns);
    for (const uint64_t time_ns : {uint64_t{0}, uint64_t{1}, kStartNs})
      EXPECT_TRUE(timetable.At(time_ns).Holds(time_ns));
  }
}

}  // namespace
}  // namespace gordian
