// SPDX-License-Identifier: Apache-2.0
// The spans of time that traffic is told by.
#pragma once

#include <cstdint>
#include <vector>

#include "traffic/common_clock.h"
#include "traffic/traffic.h"

namespace gordian {

// Of all nodes. Behind the plain spans stand one each of the other kinds.
struct SpanPlan {
  struct Instance {  // of a phase, on the common clock
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint32_t span = 0;
    size_t node = 0;
    int32_t pid = 0;
  };
  uint64_t start_ns = 0;
  uint64_t interval_ns = 0;  // 0: by phase
  std::vector<TrafficSpan> spans;
  std::vector<Instance> instances;  // by start

  uint32_t FindKind(SpanKind kind) const;
};

absl::StatusOr<SpanPlan> PlanSpans(const TrafficOptions& options, const CommonClock& clock,
                                   uint64_t start_ns, uint64_t end_ns);

// Finds spans for the packets of one node, in the order of their times. A time in several phases
// belongs to the latest begun phase of the process itself, or to no phase without such a one.
class SpanFinder {
 public:
  SpanFinder(const SpanPlan& plan, size_t node) : plan_(plan), node_(node) {}
  uint32_t Find(uint64_t common_time_ns, int32_t pid);

 private:
  const SpanPlan& plan_;
  const size_t node_;
  size_t next_ = 0;               // the first instance that has not begun
  std::vector<uint32_t> active_;  // indices of instances, by start
};

}  // namespace gordian
