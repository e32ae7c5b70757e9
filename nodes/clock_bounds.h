// SPDX-License-Identifier: Apache-2.0
// Where one node's clock stands against the reference's, as an interval that holds the truth.
//
// Everything known is of one form: "at this time of the node's clock the offset was at least (at
// most) so much". Measurements give both bounds at once, messages one of them. Clocks drift apart
// by at most drift_ppb, so a bound at one time holds at any other, weaker by the drift in between:
// a cone around each point. The interval at a time is where all cones overlap.
//
// Points are kept in order of time and tightened by their neighbours, once forwards and once
// backwards. From then on the two neighbours of a time give its whole interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gordian {

struct OffsetRange {
  int64_t lowest_ns = 0;  // the reference's clock less the node's
  int64_t highest_ns = 0;
  int64_t middle_ns() const { return lowest_ns + (highest_ns - lowest_ns) / 2; }
  uint64_t half_width_ns() const { return static_cast<uint64_t>(highest_ns - lowest_ns + 1) / 2; }
};

// The bound that one message sets for a clock.
struct OffsetLimit {
  uint64_t time_ns = 0;  // on the node's clock
  int64_t offset_ns = 0;
  bool is_lowest = false;  // else it is the highest
};

class ClockBounds {
 public:
  // The reference's own clock: 0 at all times.
  ClockBounds() : points_{{}} {}
  // `measured` must not be empty. A measurement that contradicts the ones before counts as a jump
  // of the clock: no earlier bound holds from then on.
  struct Measured {
    uint64_t time_ns = 0;
    int64_t offset_ns = 0;
    uint64_t bound_ns = 0;
  };
  ClockBounds(std::vector<Measured> measured, uint64_t drift_ppb);

  OffsetRange At(uint64_t time_ns) const {
    size_t at = 0;
    return At(time_ns, at);
  }
  // `at` remembers the place between calls: quick where times are near to each other.
  OffsetRange At(uint64_t time_ns, size_t& at) const;
  // Intervals never widen. Returns how many limits contradict the intervals: these limits are left
  // out.
  uint64_t Tighten(std::vector<OffsetLimit> limits);

  // Half of the widest interval in [from_ns, to_ns], or a nanosecond less: drifts are rounded up,
  // and the widest place may lie between two nanoseconds.
  uint64_t BoundWithin(uint64_t from_ns, uint64_t to_ns) const;

  struct Point {
    uint64_t time_ns = 0;
    OffsetRange range;
    bool jumps = false;  // knows nothing of the points before it
  };
  std::span<const Point> points() const { return points_; }
  uint64_t drift_ppb() const { return drift_ppb_; }
  // Of what these two gave. `points` must not be empty.
  static ClockBounds OfPoints(std::vector<Point> points, uint64_t drift_ppb) {
    ClockBounds bounds;
    bounds.points_ = std::move(points);
    bounds.drift_ppb_ = drift_ppb;
    return bounds;
  }

 private:
  int64_t Drift(uint64_t from_ns, uint64_t to_ns) const;
  void Narrow(OffsetRange& range, const Point& known, uint64_t at_ns) const;
  void Spread();
  void DropTwins();

  std::vector<Point> points_;
  uint64_t drift_ppb_ = 0;
};

// Turns times of a node into the reference's: along the middle of the intervals, straight from
// point to point. Order is kept. If the bounds hold causality at their points, so do the middles.
// Copies share their knots: a clock of a long recording has megabytes of them, and several stages
// of a join have one each.
class ClockMap {
 public:
  ClockMap() : ClockMap(ClockBounds()) {}
  explicit ClockMap(const ClockBounds& bounds) : ClockMap(KnotsOf(bounds)) {}

  // `at` remembers the place between calls: quick where times grow.
  uint64_t ToReference(uint64_t time_ns, size_t& at) const {
    if (at >= knots_.size() || time_ns < knots_[at].time_ns || time_ns >= knots_[at].until_ns)
      at = Find(time_ns, at);
    const Knot& knot = knots_[at];
    const auto moved_ns = static_cast<int64_t>(time_ns) + knot.offset_ns + knot.DriftUntil(time_ns);
    return moved_ns > 0 ? static_cast<uint64_t>(moved_ns) : 0;
  }
  uint64_t ToReference(uint64_t time_ns) const {
    size_t at = 0;
    return ToReference(time_ns, at);
  }

  struct Knot {
    uint64_t time_ns = 0;
    uint64_t until_ns = UINT64_MAX;  // the next knot
    int64_t offset_ns = 0;
    double slope = 0;  // until then

    // Rounded down.
    int64_t DriftUntil(uint64_t at_ns) const {
      if (at_ns <= time_ns || slope == 0) return 0;
      const double drift_ns = slope * static_cast<double>(at_ns - time_ns);
      const auto whole_ns = static_cast<int64_t>(drift_ns);
      return whole_ns - (drift_ns < static_cast<double>(whole_ns) ? 1 : 0);
    }
  };

  // In order of time, and each until the next one; at least one.
  explicit ClockMap(std::vector<Knot> knots)
      : owner_(std::make_shared<const std::vector<Knot>>(std::move(knots))), knots_(*owner_) {}
  std::span<const Knot> knots() const { return knots_; }
  double SlopeAt(uint64_t time_ns) const {
    const Knot& knot = knots_[Find(time_ns, 0)];
    return time_ns < knot.time_ns ? 0 : knot.slope;
  }

 private:
  static std::vector<Knot> KnotsOf(const ClockBounds& bounds);
  size_t Find(uint64_t time_ns, size_t near) const;

  std::shared_ptr<const std::vector<Knot>> owner_;  // of …
  std::span<const Knot> knots_;                     // … these, one step nearer
};

}  // namespace gordian
