// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/phase_time.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

bool Belongs(const Entity& thread, const Phase& phase, const Timeline& timeline) {
  if (!timeline.nodes().empty() && timeline.nodes()[thread.node] != phase.node) return false;
  if (phase.tid != 0) return thread.tid == phase.tid;
  return phase.pid != 0 && thread.tgid == phase.pid;
}

class PhaseSums {
 public:
  void Add(const ThreadSegment& segment, uint64_t length_ns) {
    switch (segment.kind) {
      case SegmentKind::kRun:
        time_.run_ns += length_ns;
        return;
      case SegmentKind::kRunnable:
        time_.runnable_ns += length_ns;
        return;
      case SegmentKind::kWait:
        time_.wait_ns += length_ns;
        AddWait(segment.waker, length_ns);
        return;
      case SegmentKind::kSpin:
        time_.spin_ns += length_ns;
        AddWait(segment.waker, length_ns);
        return;
      case SegmentKind::kUnknown:
        time_.unknown_ns += length_ns;
        return;
    }
  }
  void AddThread() { time_.threads++; }

  PhaseTime Take() {
    for (const auto& [waker, wait] : waits_) time_.waits.push_back(wait);
    std::sort(time_.waits.begin(), time_.waits.end(), [](const PhaseWait& a, const PhaseWait& b) {
      return a.wait_ns != b.wait_ns ? a.wait_ns > b.wait_ns : a.waker < b.waker;
    });
    return std::move(time_);
  }

 private:
  void AddWait(EntityId waker, uint64_t length_ns) {
    PhaseWait& wait = waits_[waker];
    wait.waker = waker;
    wait.wait_ns += length_ns;
    wait.count++;
  }

  PhaseTime time_;
  absl::flat_hash_map<EntityId, PhaseWait> waits_;
};

}  // namespace

PhaseTime TimeOf(const Phase& phase, const Timeline& timeline) {
  PhaseSums sums;
  const uint64_t begin_ns = timeline.pauses().RecordedTime(phase.start_ns);
  const uint64_t end_ns = timeline.pauses().RecordedTime(phase.end_ns);
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& thread = timeline.entities()[id];
    if (!Belongs(thread, phase, timeline) || thread.end_ns <= begin_ns || thread.begin_ns >= end_ns)
      continue;
    sums.AddThread();
    for (SegmentCursor at = timeline.SegmentsFrom(id, begin_ns);
         !at.done() && at.start_ns() < end_ns; at.Next()) {
      const uint64_t from_ns = std::max(at.start_ns(), begin_ns);
      const uint64_t to_ns = std::min(at.end_ns(), end_ns);
      if (from_ns < to_ns) sums.Add(at.segment(), to_ns - from_ns);
    }
  }
  return sums.Take();
}

}  // namespace gordian
