// SPDX-License-Identifier: Apache-2.0
// Whether the thread that ended a wait only passed on that a disk was done. From the wait's end
// back over what its waker did: each step is one segment earlier, and kMostSteps of them are looked
// at.
#include "analyzer/waits/waits.h"

namespace gordian {
namespace {

// A worker that runs is preempted a few times at most before it comes to pass on the end.
constexpr int kMostSteps = 8;

bool IsIdle(const ThreadSegment& wait) { return wait.state != kStateUninterruptible; }

}  // namespace

std::optional<PassedOn> Waits::PassedOnEnd(const SegmentCursor& wait) const {
  const ThreadSegment& segment = wait.segment();
  if (segment.kind != SegmentKind::kWait || segment.cause != WaitCause::kThread ||
      segment.waker >= timeline_.thread_count() || !entities_[segment.waker].kernel_thread)
    return std::nullopt;
  uint64_t before_ns = wait.end_ns();
  for (int step = 0; step < kMostSteps && before_ns > wait.start_ns(); ++step) {
    const SegmentCursor at = timeline_.SegmentsFrom(segment.waker, before_ns - 1);
    if (at.done() || at.start_ns() >= before_ns) return std::nullopt;
    const ThreadSegment& did = at.segment();
    if (did.kind == SegmentKind::kWait) {
      // A wait that ends just then has ended; the last one may go on.
      const bool by_disk = did.cause == WaitCause::kDisk && did.waker != kNobody && IsIdle(did);
      if (!by_disk || at.end_ns() > before_ns || at.end_ns() <= wait.start_ns())
        return std::nullopt;
      return PassedOn{at.end_ns(), did.waker};
    }
    if (did.kind != SegmentKind::kRun && did.kind != SegmentKind::kRunnable) return std::nullopt;
    before_ns = at.start_ns();
  }
  return std::nullopt;
}

}  // namespace gordian
