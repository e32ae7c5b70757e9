// SPDX-License-Identifier: Apache-2.0
// Which events `gordian dump` shows.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/event_block.h"

namespace gordian {

struct EventFilter {
  uint64_t from_ns = 0;          // relative to the session's start, included
  uint64_t to_ns = UINT64_MAX;   // likewise, excluded
  std::vector<EventKind> kinds;  // empty: all
  std::vector<int32_t> tids;     // events these threads have a part in; empty: all
  bool any_cpu = true;
  uint16_t cpu = 0;  // if not any_cpu

  bool Shows(const TraceEvent& event, const EventBlock& block, uint64_t start_time_ns) const;
  // No event behind `time_ns` is shown.
  bool IsPast(uint64_t time_ns, uint64_t start_time_ns) const;
};

}  // namespace gordian
