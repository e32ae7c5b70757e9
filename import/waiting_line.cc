// SPDX-License-Identifier: Apache-2.0
#include "import/waiting_line.h"

#include <algorithm>

namespace gordian {

// Ends: each turn takes at least one event.
void PartLine(uint64_t from_ns, uint64_t to_ns, std::vector<LineEvent>& events,
              const std::function<void(uint64_t begin_ns, uint64_t end_ns, bool waits)>& stretch) {
  for (LineEvent& event : events) event.time_ns = std::clamp(event.time_ns, from_ns, to_ns);
  std::stable_sort(events.begin(), events.end(),
                   [](const LineEvent& a, const LineEvent& b) { return a.time_ns < b.time_ns; });
  uint64_t begin_ns = from_ns;
  int64_t waited_for = 0;
  for (size_t next = 0; next < events.size();) {
    const uint64_t time_ns = events[next].time_ns;
    const bool waits_until_then = waited_for > 0;
    bool starts = false;
    for (; next < events.size() && events[next].time_ns == time_ns; ++next) {
      starts = starts || events[next].starts;
      waited_for += events[next].waited_for;
    }
    if (begin_ns < time_ns) stretch(begin_ns, time_ns, waits_until_then && !starts);
    begin_ns = time_ns;
  }
  if (begin_ns < to_ns) stretch(begin_ns, to_ns, waited_for > 0);
}

}  // namespace gordian
