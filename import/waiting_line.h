// SPDX-License-Identifier: Apache-2.0
// When somebody that starts others waits for them: a span its children, a driver its tasks.
//
// A log tells when the others began and ended. It waits while others run that it waits for, unless
// the next thing that happens is that it starts another: then it was at work until it did.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace gordian {

struct LineEvent {
  uint64_t time_ns = 0;
  bool starts = false;     // it starts, or causes, another
  int32_t waited_for = 0;  // 1: from here on it waits for one more; -1: for one fewer
};

// Gives the stretches from `from_ns` to `to_ns` in order, without gaps, parted at each event's time
// in between. Events outside count as at the nearer end. Sorts the events.
void PartLine(uint64_t from_ns, uint64_t to_ns, std::vector<LineEvent>& events,
              const std::function<void(uint64_t begin_ns, uint64_t end_ns, bool waits)>& stretch);

}  // namespace gordian
