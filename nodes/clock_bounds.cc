// SPDX-License-Identifier: Apache-2.0
#include "nodes/clock_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gordian {
namespace {

constexpr uint64_t kBillion = 1'000'000'000;

bool Overlap(const OffsetRange& a, const OffsetRange& b) {
  return a.lowest_ns <= b.highest_ns && b.lowest_ns <= a.highest_ns;
}

}  // namespace

ClockBounds::ClockBounds(std::vector<Measured> measured, uint64_t drift_ppb)
    : drift_ppb_(drift_ppb) {
  std::stable_sort(measured.begin(), measured.end(),
                   [](const Measured& a, const Measured& b) { return a.time_ns < b.time_ns; });
  for (const Measured& one : measured) {
    const auto bound_ns = static_cast<int64_t>(one.bound_ns);
    points_.push_back(
        {.time_ns = one.time_ns, .range = {one.offset_ns - bound_ns, one.offset_ns + bound_ns}});
  }
  Spread();
}

// Rounded up: an interval is never narrower than the evidence.
int64_t ClockBounds::Drift(uint64_t from_ns, uint64_t to_ns) const {
  const uint64_t between_ns = to_ns > from_ns ? to_ns - from_ns : from_ns - to_ns;
  uint64_t drift = 0;  // billionths of a nanosecond: mostly they fit, which is quick to divide
  if (!__builtin_mul_overflow(between_ns, drift_ppb_, &drift) &&
      !__builtin_add_overflow(drift, kBillion - 1, &drift))
    return static_cast<int64_t>(drift / kBillion);
  const auto drift_ns =
      (static_cast<unsigned __int128>(between_ns) * drift_ppb_ + kBillion - 1) / kBillion;
  return static_cast<int64_t>(drift_ns);
}

void ClockBounds::Narrow(OffsetRange& range, const Point& known, uint64_t at_ns) const {
  const int64_t drift_ns = Drift(known.time_ns, at_ns);
  range.lowest_ns = std::max(range.lowest_ns, known.range.lowest_ns - drift_ns);
  range.highest_ns = std::min(range.highest_ns, known.range.highest_ns + drift_ns);
}

// Each point learns from the point before it what all earlier points know, then likewise from
// behind.
void ClockBounds::Spread() {
  for (size_t i = 1; i < points_.size(); ++i) {
    if (points_[i].jumps) continue;
    OffsetRange range = points_[i].range;
    Narrow(range, points_[i - 1], points_[i].time_ns);
    if (range.lowest_ns > range.highest_ns) {
      points_[i].jumps = true;
    } else {
      points_[i].range = range;
    }
  }
  for (size_t i = points_.size() - 1; i-- > 0;) {
    if (points_[i + 1].jumps) continue;
    OffsetRange range = points_[i].range;
    Narrow(range, points_[i + 1], points_[i].time_ns);
    // This point narrowed it before, so they overlap, except for a nanosecond of rounding.
    if (range.lowest_ns <= range.highest_ns) points_[i].range = range;
  }
}

// Points of one time become one that holds both intervals' bounds. The intervals overlap, as each
// was made within the others.
void ClockBounds::DropTwins() {
  size_t kept = 0;
  for (size_t i = 1; i < points_.size(); ++i) {
    Point& last = points_[kept];
    OffsetRange both = last.range;
    Narrow(both, points_[i], last.time_ns);
    const bool twins = points_[i].time_ns == last.time_ns && !points_[i].jumps &&
                       both.lowest_ns <= both.highest_ns;
    if (twins) {
      last.range = both;
    } else {
      points_[++kept] = points_[i];
    }
  }
  points_.resize(kept + 1);
}

OffsetRange ClockBounds::At(uint64_t time_ns, size_t& at) const {
  // The last that is not later; the first, if all are.
  const bool is_there = at < points_.size() && points_[at].time_ns <= time_ns &&
                        (at + 1 == points_.size() || time_ns < points_[at + 1].time_ns);
  const bool is_next = !is_there && at + 2 < points_.size() && points_[at + 1].time_ns <= time_ns &&
                       time_ns < points_[at + 2].time_ns;
  if (is_next) {
    ++at;
  } else if (!is_there) {
    const auto next =
        std::upper_bound(points_.begin() + 1, points_.end(), time_ns,
                         [](uint64_t at_ns, const Point& p) { return at_ns < p.time_ns; });
    at = static_cast<size_t>(next - points_.begin()) - 1;
  }
  const Point& nearest = points_[at];
  const int64_t drift_ns = Drift(nearest.time_ns, time_ns);
  OffsetRange range{nearest.range.lowest_ns - drift_ns, nearest.range.highest_ns + drift_ns};
  if (time_ns < nearest.time_ns || at + 1 == points_.size() || points_[at + 1].jumps) return range;
  OffsetRange both = range;
  Narrow(both, points_[at + 1], time_ns);
  return both.lowest_ns <= both.highest_ns ? both : range;
}

uint64_t ClockBounds::Tighten(std::vector<OffsetLimit> limits) {
  if (drift_ppb_ == 0 && points_.size() == 1 && points_[0].range.half_width_ns() == 0) {
    // The reference has nothing to learn. A limit that says otherwise contradicts the other clock's
    // bound.
    return static_cast<uint64_t>(std::count_if(limits.begin(), limits.end(), [](const auto& limit) {
      return limit.is_lowest ? limit.offset_ns > 0 : limit.offset_ns < 0;
    }));
  }
  uint64_t contradictions = 0;
  // Highest first: the lowest must then fit all of them.
  for (const bool is_lowest : {false, true}) {
    std::vector<Point> added;
    size_t at = 0;
    for (const OffsetLimit& limit : limits) {
      if (limit.is_lowest != is_lowest) continue;
      const OffsetRange known = At(limit.time_ns, at);
      OffsetRange range = known;
      if (is_lowest) {
        range.lowest_ns = std::max(known.lowest_ns, limit.offset_ns);
      } else {
        range.highest_ns = std::min(known.highest_ns, limit.offset_ns);
      }
      if (!Overlap(known, {range.lowest_ns, range.highest_ns}) ||
          range.lowest_ns > range.highest_ns) {
        ++contradictions;
      } else if (range.lowest_ns != known.lowest_ns || range.highest_ns != known.highest_ns) {
        added.push_back({.time_ns = limit.time_ns, .range = range});
      }
    }
    if (added.empty()) continue;
    points_.insert(points_.end(), added.begin(), added.end());
    // A jump stays first among those of its time.
    std::stable_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return a.time_ns < b.time_ns; });
    DropTwins();
    Spread();
  }
  points_.shrink_to_fit();  // they stay as long as the nodes are joined
  return contradictions;
}

uint64_t ClockBounds::BoundWithin(uint64_t from_ns, uint64_t to_ns) const {
  uint64_t widest_ns = std::max(At(from_ns).half_width_ns(), At(to_ns).half_width_ns());
  size_t at = 0;  // point by point
  const auto consider = [&](uint64_t time_ns) {
    if (from_ns < time_ns && time_ns < to_ns) {
      widest_ns = std::max(widest_ns, At(time_ns, at).half_width_ns());
    }
  };
  // Between two points both sides widen until the two cones meet. The interval is no wider than at
  // the crossings of the two lowest and of the two highest sides. Both crossings lie at the same
  // distance from the middle. So the widest place is at the points, at a crossing or in the middle.
  for (size_t i = 0; i < points_.size(); ++i) {
    consider(points_[i].time_ns);
    if (i + 1 == points_.size() || drift_ppb_ == 0) continue;
    const Point& a = points_[i];
    const Point& b = points_[i + 1];
    const uint64_t length_ns = b.time_ns - a.time_ns;
    const double drift = static_cast<double>(drift_ppb_) / kBillion;
    const auto crossing = [&](double rise_ns) {
      const double at_ns = (static_cast<double>(length_ns) + rise_ns / drift) / 2;
      consider(a.time_ns +
               static_cast<uint64_t>(std::clamp(at_ns, 0.0, static_cast<double>(length_ns))));
    };
    crossing(static_cast<double>(b.range.highest_ns - a.range.highest_ns));
    crossing(static_cast<double>(a.range.lowest_ns - b.range.lowest_ns));
  }
  return widest_ns;
}

std::vector<ClockMap::Knot> ClockMap::KnotsOf(const ClockBounds& bounds) {
  std::vector<Knot> knots;
  knots.reserve(bounds.points().size());
  for (const ClockBounds::Point& point : bounds.points()) {
    Knot knot{.time_ns = point.time_ns, .offset_ns = point.range.middle_ns()};
    if (!knots.empty()) {
      Knot& before = knots.back();
      if (knot.time_ns == before.time_ns) continue;
      const auto length_ns = static_cast<double>(knot.time_ns - before.time_ns);
      // If a clock jumped back, its times must still keep their order.
      before.slope =
          std::max(-1.0, static_cast<double>(knot.offset_ns - before.offset_ns) / length_ns);
      knot.offset_ns = std::max(
          knot.offset_ns, before.offset_ns - static_cast<int64_t>(knot.time_ns - before.time_ns));
    }
    if (!knots.empty()) knots.back().until_ns = knot.time_ns;
    knots.push_back(knot);
  }
  return knots;
}

// The first knot holds for all earlier times, too.
size_t ClockMap::Find(uint64_t time_ns, size_t near) const {
  // Mostly it is the next one.
  if (near + 1 < knots_.size() && knots_[near + 1].time_ns <= time_ns &&
      time_ns < knots_[near + 1].until_ns)
    return near + 1;
  // Or one a little behind: steps that double find it sooner than a search of all.
  size_t from = near < knots_.size() && knots_[near].time_ns <= time_ns ? near : 0;
  size_t step = 1;
  while (from + step < knots_.size() && knots_[from + step].time_ns <= time_ns) {
    from += step;
    step *= 2;
  }
  const size_t until = std::min(from + step, knots_.size());
  const auto next = std::upper_bound(
      knots_.begin() + static_cast<ptrdiff_t>(from) + 1,
      knots_.begin() + static_cast<ptrdiff_t>(until), time_ns,
      [](uint64_t wanted_ns, const Knot& knot) { return wanted_ns < knot.time_ns; });
  return static_cast<size_t>(next - knots_.begin()) - 1;
}

}  // namespace gordian
