// SPDX-License-Identifier: Apache-2.0
// The pauses of a recording that kept to a budget, and time without them.
//
// The timeline goes by recorded time: the clock's, less the pauses that came before. So shares,
// rates and replays are of the recorded time, and no pause looks like a wait. Each pause leaves one
// nanosecond: events behind it are later than events before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "schema/session.pb.h"
#include "trace/event_block.h"

namespace gordian {

class Pauses {
 public:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  Pauses() = default;  // none
  // The pauses that `session` tells of and that end behind first_ns. Leaves out a pause that is
  // empty or not behind the one before: files may say anything.
  Pauses(const pb::Session& session, uint64_t first_ns);
  // Those that Stretches() told.
  explicit Pauses(const std::vector<std::pair<uint64_t, uint64_t>>& stretches);

  bool empty() const { return pauses_.empty(); }
  size_t count() const { return pauses_.size(); }
  uint64_t total_ns() const { return total_ns_; }

  // Never decreases. All of a pause is the time of its beginning.
  uint64_t RecordedTime(uint64_t clock_ns) const;
  // The clock's time; for a pause, the time of its end.
  uint64_t ClockTime(uint64_t recorded_ns) const;
  // … for a segment that ended then: where a pause began, not where it ended.
  uint64_t ClockTimeOfEnd(uint64_t recorded_ns) const;

  // Calls use(from_ns, to_ns), by the clock, for each part of a stretch of recorded time between
  // pauses, once where it has no length. The nanoseconds that pauses leave belong to no part.
  template <typename Use>
  void ForEachWindow(uint64_t from_ns, uint64_t to_ns, Use use) const {
    if (from_ns >= to_ns) return use(ClockTime(from_ns), ClockTime(from_ns));
    while (from_ns < to_ns) {
      const uint64_t until_ns = std::min(to_ns, NextPause(from_ns, to_ns));
      if (from_ns < until_ns) use(ClockTime(from_ns), ClockTimeOfEnd(until_ns));
      from_ns = until_ns < to_ns ? until_ns + 1 : to_ns;
    }
  }

  // By the clock, in order.
  std::vector<std::pair<uint64_t, uint64_t>> Stretches() const;

  // Whether the recording paused at that time of the clock.
  bool Holds(uint64_t clock_ns) const;

  // In recorded time: when the last pause that began before had ended; 0 if there was no such
  // pause.
  uint64_t LastResume(uint64_t recorded_ns) const;
  // … when the first that began then or later begins; `none` if there is no such.
  uint64_t NextPause(uint64_t recorded_ns, uint64_t none) const;
  // … when the first that ends behind it has ended; kNever if there is no such.
  uint64_t NextResume(uint64_t recorded_ns) const;

  // Gives events recorded times. Of the events in a pause only those that hold for longer stay:
  // births and deaths, meanings of ids, losses, phases, and the last holders of locks.
  void CutOutOf(EventBlock& block) const;

 private:
  struct Pause {
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    uint64_t cut_before_ns = 0;  // by the pauses before
    uint64_t cut_ns() const { return to_ns - from_ns - 1; }
    uint64_t recorded_from_ns() const { return from_ns - cut_before_ns; }
  };
  // The last that began before that time of the clock; null if there is none.
  const Pause* Before(uint64_t clock_ns) const;
  // The last whose beginning, in recorded time, is before; null if there is none.
  const Pause* BeforeRecorded(uint64_t recorded_ns) const;

  std::vector<Pause> pauses_;
  uint64_t total_ns_ = 0;
};

}  // namespace gordian
