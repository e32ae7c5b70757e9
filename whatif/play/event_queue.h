// SPDX-License-Identifier: Apache-2.0
// The coming events of a replay, in order of time.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace gordian {

// Of the stage, then, from kServed on, of disks and messages.
enum class ReplayEventKind : uint8_t {
  kRunEnd,
  kRunEndApart,
  kSlice,
  kPauseEnd,
  kOnCpu,
  kServed,
  kArrived
};

struct ReplayEvent {
  uint64_t time_ns = 0;
  uint64_t order = 0;    // of equal times the first made comes first
  uint32_t number = 0;   // thread, CPU, request or hand-over
  uint32_t version = 0;  // of the CPU: its run, its turn
  ReplayEventKind kind = ReplayEventKind::kRunEnd;
};

struct LaterReplayEvent {
  bool operator()(const ReplayEvent& a, const ReplayEvent& b) const {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.order > b.order;
  }
};

class ReplayEvents {
 public:
  bool empty() const { return events_.empty(); }
  void Add(ReplayEventKind kind, uint64_t time_ns, uint32_t number, uint32_t version) {
    events_.push({time_ns, order_++, number, version, kind});
  }
  ReplayEvent TakeFirst() {
    const ReplayEvent first = events_.top();
    events_.pop();
    return first;
  }

 private:
  std::priority_queue<ReplayEvent, std::vector<ReplayEvent>, LaterReplayEvent> events_;
  uint64_t order_ = 0;
};

}  // namespace gordian
