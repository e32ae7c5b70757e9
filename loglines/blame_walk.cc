// SPDX-License-Identifier: Apache-2.0
#include "loglines/blame_walk.h"

#include <algorithm>
#include <utility>

#include "loglines/usual_wakers.h"

namespace gordian {
namespace {

class BlameWalk {
 public:
  BlameWalk(const Timeline& timeline, EntityId thread, uint64_t floor_ns, uint64_t at_ns)
      : timeline_(timeline),
        wakers_(timeline),
        thread_(thread),
        floor_ns_(floor_ns),
        at_ns_(at_ns),
        met_{thread} {}

  Blame Walk() {
    while (at_ns_ > floor_ns_) {
      if (!open_.empty() && at_ns_ <= open_.back().since_ns) {
        ComeBack();
      } else {
        StepBack();
      }
    }
    std::reverse(blame_.steps.begin(), blame_.steps.end());
    return std::move(blame_);
  }

 private:
  // A wait that the walk is inside of: it comes back to the waiter at its beginning.
  struct OpenWait {
    EntityId waiter = kNobody;
    uint64_t since_ns = 0;
    uint32_t number = 0;
  };

  uint64_t limit_ns() const {
    return open_.empty() ? floor_ns_ : std::max(floor_ns_, open_.back().since_ns);
  }
  uint32_t wait_number() const { return open_.empty() ? kNoBlamedWait : open_.back().number; }

  void ComeBack() {
    thread_ = open_.back().waiter;
    open_.pop_back();
    met_.push_back(thread_);
  }

  void Charge(uint64_t from_ns, BlameKind kind, EntityId device = kNobody) {
    from_ns = std::max(from_ns, limit_ns());
    if (from_ns >= at_ns_) from_ns = at_ns_ - 1;  // whatever a damaged recording says
    blame_.steps.push_back({from_ns, at_ns_, thread_, device, kind, wait_number()});
    at_ns_ = from_ns;
    met_.assign(1, thread_);
  }

  void StepBack() {
    const uint64_t born_ns = timeline_.entities()[thread_].begin_ns;
    if (at_ns_ <= born_ns) return StepBeforeBirth();
    const SegmentCursor segments = timeline_.SegmentsFrom(thread_, at_ns_ - 1);
    if (segments.done() || segments.start_ns() >= at_ns_)
      return Charge(born_ns, BlameKind::kUnknown);
    if (segments.end_ns() < at_ns_) return Charge(segments.end_ns(), BlameKind::kUnknown);
    const ThreadSegment& segment = segments.segment();
    switch (segment.kind) {
      case SegmentKind::kRun:
        return Charge(segment.start_ns, BlameKind::kRun);
      case SegmentKind::kRunnable:
        return Charge(segment.start_ns, BlameKind::kReady);
      case SegmentKind::kUnknown:
        return Charge(segment.start_ns, BlameKind::kUnknown);
      case SegmentKind::kWait:
      case SegmentKind::kSpin:
        return StepIntoWait(segment);
    }
  }

  // Its middle, too: what will end it is what it waits for.
  void StepIntoWait(const ThreadSegment& wait) {
    switch (wait.cause) {
      case WaitCause::kThread:
      case WaitCause::kCreator:
      case WaitCause::kSpin:
        return GoTo(wait, wait.waker, false);
      case WaitCause::kTimer:
        return StepIntoTimeout(wait);
      case WaitCause::kDisk:
      case WaitCause::kIdleDevice:
        return ChargeDevice(wait, BlameKind::kDisk);
      case WaitCause::kLink:
        return ChargeDevice(wait, BlameKind::kLink);
      case WaitCause::kNic:
      case WaitCause::kIrq:
        return ChargeDevice(wait, BlameKind::kDevice);
      case WaitCause::kUnknown:
        return ChargeDevice(wait, BlameKind::kUnknown);
    }
  }

  void StepIntoTimeout(const ThreadSegment& wait) {
    const EntityId awaited = wakers_.AwaitedInVain(thread_, wait.start_ns, at_ns_);
    if (awaited == kNobody || awaited < timeline_.thread_count()) return GoTo(wait, awaited, true);
    ThreadSegment for_interface = wait;
    for_interface.waker = awaited;
    ChargeDevice(for_interface, BlameKind::kDevice, true);
  }

  void ChargeDevice(const ThreadSegment& wait, BlameKind kind, bool in_vain = false) {
    const uint64_t from_ns = std::max(wait.start_ns, limit_ns());
    blame_.waits.push_back({thread_, wait.waker, from_ns, at_ns_, kind, in_vain, wait_number()});
    Charge(from_ns, kind, wait.waker);
    blame_.steps.back().wait = static_cast<uint32_t>(blame_.waits.size() - 1);
  }

  bool CanGoTo(EntityId thread) const {
    if (thread >= timeline_.thread_count() || timeline_.entities()[thread].begin_ns >= at_ns_)
      return false;
    for (const OpenWait& wait : open_) {
      if (wait.waiter == thread) return false;
    }
    return std::find(met_.begin(), met_.end(), thread) == met_.end();
  }

  void GoTo(const ThreadSegment& wait, EntityId thread, bool in_vain) {
    if (!CanGoTo(thread))
      return ChargeDevice(wait, in_vain ? BlameKind::kTimer : BlameKind::kUnknown);
    const uint64_t since_ns = std::max(wait.start_ns, limit_ns());
    blame_.waits.push_back(
        {thread_, thread, since_ns, at_ns_, BlameKind::kRun, in_vain, wait_number()});
    open_.push_back({thread_, since_ns, static_cast<uint32_t>(blame_.waits.size() - 1)});
    thread_ = thread;
    met_.push_back(thread);
  }

  void StepBeforeBirth() {
    const EntityId creator = timeline_.creator(thread_);
    if (creator == kNobody || !CanGoTo(creator)) return Charge(limit_ns(), BlameKind::kUnknown);
    thread_ = creator;
    met_.push_back(creator);
  }

  const Timeline& timeline_;
  UsualWakers wakers_;
  EntityId thread_ = kNobody;
  uint64_t floor_ns_ = 0;
  uint64_t at_ns_ = 0;
  std::vector<EntityId> met_;  // at that time
  std::vector<OpenWait> open_;
  Blame blame_;  // its steps the last first
};

}  // namespace

Blame BlameOf(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t at_ns) {
  return BlameWalk(timeline, thread, from_ns, at_ns).Walk();
}

std::vector<BlamedWait> LongestInVain(const Blame& blame, size_t most) {
  std::vector<BlamedWait> waits;
  for (const BlamedWait& wait : blame.waits) {
    if (wait.in_vain && wait.kind == BlameKind::kRun) waits.push_back(wait);
  }
  std::stable_sort(waits.begin(), waits.end(), [](const BlamedWait& a, const BlamedWait& b) {
    return a.to_ns - a.from_ns > b.to_ns - b.from_ns;
  });
  if (waits.size() > most) waits.resize(most);
  return waits;
}

Asker AskerOf(const Timeline& timeline, EntityId thread, uint64_t at_ns) {
  Asker asker;
  if (at_ns == 0) return asker;
  for (EntityId other = 0; other < timeline.thread_count(); ++other) {
    const Entity& entity = timeline.entities()[other];
    if (other == thread || entity.kernel_thread || entity.begin_ns >= at_ns ||
        entity.end_ns < at_ns)
      continue;
    const SegmentCursor at = timeline.SegmentsFrom(other, at_ns - 1);
    if (at.done() || at.start_ns() >= at_ns || at.segment().kind != SegmentKind::kWait ||
        at.segment().waker != thread || at.segment().cause != WaitCause::kThread)
      continue;
    if (asker.thread != kNobody && asker.waits_from_ns <= at.start_ns()) continue;
    asker.thread = other;
    asker.waits_from_ns = at.start_ns();
  }
  if (asker.thread == kNobody) return asker;
  // It asked after it had been woken itself, and before it went to wait; a message may come later.
  uint64_t earliest_ns = 0;
  if (asker.waits_from_ns > timeline.entities()[asker.thread].begin_ns) {
    uint64_t before_ns = asker.waits_from_ns;
    for (SegmentCursor at = timeline.SegmentsFrom(asker.thread, before_ns - 1);
         !at.done() && at.segment().kind != SegmentKind::kWait && at.start_ns() < before_ns;
         at = timeline.SegmentsFrom(asker.thread, before_ns - 1)) {
      before_ns = at.start_ns();
      if (before_ns <= timeline.entities()[asker.thread].begin_ns) break;
    }
    earliest_ns = before_ns;
  }
  asker.asked_ns = std::min(asker.waits_from_ns, at_ns - 1);
  const uint64_t born_ns = timeline.entities()[thread].begin_ns;
  for (uint64_t before_ns = at_ns; before_ns > std::max(earliest_ns, born_ns);) {
    const SegmentCursor at = timeline.SegmentsFrom(thread, before_ns - 1);
    if (at.done() || at.start_ns() >= before_ns) break;
    if (at.segment().kind == SegmentKind::kWait && at.end_ns() <= at_ns &&
        WakerOfWait(timeline, thread, at.segment(), at.end_ns()) == asker.thread) {
      asker.asked_ns = std::min(at.end_ns(), at_ns - 1);
      break;
    }
    before_ns = at.start_ns();
  }
  return asker;
}

}  // namespace gordian
