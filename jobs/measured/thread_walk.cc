// SPDX-License-Identifier: Apache-2.0
#include "jobs/measured/thread_walk.h"

#include <algorithm>
#include <limits>

namespace gordian {

ThreadWalk::ThreadWalk(const Timeline& timeline, const Job& job, const PhaseOwners& owners,
                       uint64_t start_ns, uint64_t end_ns, UseTables& results)
    : timeline_(timeline),
      job_(job),
      owners_(owners),
      start_ns_(start_ns),
      end_ns_(end_ns),
      results_(results) {}

// Walks over the time before the range too: it may tell which phase the thread helps in the range.
void ThreadWalk::Walk(EntityId thread, std::span<const IssuedBytes> issues) {
  steps_ = all_steps_ = owners_.Of(thread);
  issues_ = issues;
  const EntityId creator = timeline_.creator(thread);
  const Pauses& pauses = timeline_.pauses();
  const uint64_t begin_ns = pauses.ClockTime(timeline_.entities()[thread].begin_ns);
  helped_ = creator == kNobody ? kNoId : owners_.At(creator, begin_ns);
  for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
    if (pauses.ClockTime(at.start_ns()) >= end_ns_) break;
    bool is_first = true;
    pauses.ForEachWindow(at.start_ns(), at.end_ns(), [&](uint64_t from_ns, uint64_t to_ns) {
      if (!is_first)
        helped_ = kNoId;  // behind a pause: the helped phase that it had forgotten, if
                          // any
      is_first = false;
      IssuedBefore(to_ns);
      TakeSegment(at.segment(), from_ns, to_ns);
    });
  }
  IssuedBefore(std::numeric_limits<uint64_t>::max());
}

void ThreadWalk::TakeSegment(const ThreadSegment& segment, uint64_t from_ns, uint64_t to_ns) {
  switch (segment.kind) {
    case SegmentKind::kRun:
    case SegmentKind::kSpin:
      Ran(from_ns, to_ns);
      break;
    case SegmentKind::kWait:
      helped_ = HelpedAfter(segment, to_ns);
      break;
    case SegmentKind::kUnknown:
      WasUnknown(from_ns, to_ns);
      helped_ = kNoId;  // it may have slept
      break;
    case SegmentKind::kRunnable:
      break;
  }
}

PhaseId ThreadWalk::HelpedAfter(const ThreadSegment& wait, uint64_t woken_ns) const {
  const bool by_thread = wait.cause == WaitCause::kThread && wait.waker < timeline_.thread_count();
  return by_thread ? owners_.At(wait.waker, woken_ns) : kNoId;
}

template <typename Use>
void ThreadWalk::ForEachOwner(uint64_t from_ns, uint64_t to_ns, Use use) {
  while (from_ns < to_ns) {
    while (steps_.size() > 1 && steps_[1].from_ns <= from_ns) steps_ = steps_.subspan(1);
    PhaseId owner = kNoId;
    uint64_t until_ns = to_ns;
    if (!steps_.empty() && steps_[0].from_ns > from_ns) {
      until_ns = std::min(to_ns, steps_[0].from_ns);
    } else if (!steps_.empty()) {
      owner = steps_[0].owner;
      if (steps_.size() > 1) until_ns = std::min(to_ns, steps_[1].from_ns);
    }
    use(owner, from_ns, until_ns);
    from_ns = until_ns;
  }
}

void ThreadWalk::Ran(uint64_t from_ns, uint64_t to_ns) {
  ForEachOwner(from_ns, to_ns, [this](PhaseId owner, uint64_t begin_ns, uint64_t end_ns) {
    if (owner == kNoId) return RanAsHelper(begin_ns, end_ns);
    results_.tables[0].AddTime(UseKind::kOwn, owner, begin_ns, end_ns);
  });
}

// The helped phase, or the innermost around it that goes on; from phase end to phase end.
void ThreadWalk::RanAsHelper(uint64_t from_ns, uint64_t to_ns) {
  while (from_ns < to_ns) {
    const PhaseId phase = HelpedAt(from_ns);
    const uint64_t until_ns = phase == kNoId ? to_ns : std::min(to_ns, job_.phases[phase].end_ns);
    results_.tables[0].AddTime(UseKind::kHelpers, phase, from_ns, until_ns);
    from_ns = until_ns;
  }
}

PhaseId ThreadWalk::HelpedAt(uint64_t time_ns) const {
  PhaseId phase = helped_;
  while (phase != kNoId &&
         (time_ns < job_.phases[phase].start_ns || time_ns >= job_.phases[phase].end_ns)) {
    phase = job_.phases[phase].parent;
  }
  return phase;
}

void ThreadWalk::WasUnknown(uint64_t from_ns, uint64_t to_ns) {
  from_ns = std::max(from_ns, start_ns_);
  to_ns = std::min(to_ns, end_ns_);
  ForEachOwner(from_ns, to_ns, [this](PhaseId owner, uint64_t begin_ns, uint64_t end_ns) {
    if (owner != kNoId) results_.unknown_ns[owner] += end_ns - begin_ns;
  });
}

void ThreadWalk::IssuedBefore(uint64_t time_ns) {
  for (; !issues_.empty() && issues_.front().time_ns < time_ns; issues_ = issues_.subspan(1)) {
    const IssuedBytes& issue = issues_.front();
    const PhaseId owner = OwnerAt(all_steps_, issue.time_ns);
    UseTable& table = results_.tables[issue.table];
    if (owner != kNoId) {
      table.AddAt(UseKind::kOwn, owner, issue.time_ns, issue.bytes);
    } else {
      table.AddAt(UseKind::kHelpers, HelpedAt(issue.time_ns), issue.time_ns, issue.bytes);
    }
  }
}

}  // namespace gordian
