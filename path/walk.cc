// SPDX-License-Identifier: Apache-2.0
#include "path/walk.h"

#include <algorithm>

namespace gordian {

PathWalker::PathWalker(const Timeline& timeline, const JobProcesses& processes, const PathJob& job)
    : timeline_(timeline), processes_(processes), job_(job), requests_(timeline) {}

std::vector<PathStep> PathWalker::Walk(PathStart start, uint64_t floor_ns, uint64_t ceiling_ns) {
  steps_.clear();
  floor_ns_ = floor_ns;
  ceiling_ns_ = ceiling_ns;
  thread_ = start.thread;
  at_ns_ = std::max(start.at_ns, ceiling_ns);
  met_.assign(1, thread_);
  served_ = kNobody;
  visit_first_step_ = 0;
  entered_by_ = Move::kStart;
  while (at_ns_ > floor_ns_) StepBack();
  EndVisit(Move::kOther);
  std::reverse(steps_.begin(), steps_.end());
  return std::move(steps_);
}

// Charges from there to here, as far as it is of the piece, and goes there.
void PathWalker::Charge(uint64_t from_ns, PathState state) {
  from_ns = std::max(from_ns, floor_ns_);
  if (served_ != kNobody) from_ns = std::max(from_ns, served_since_ns_);
  // What the kernel waits for, it waits for in the name of the thread that it serves.
  const bool is_for_served = served_ != kNobody && timeline_.entities()[thread_].kernel_thread &&
                             state != PathState::kRun && state != PathState::kReady;
  const EntityId charged = is_for_served ? served_ : thread_;
  const ProcessId process = processes_.Of(charged);
  const bool is_outside = !IsOfJob(charged);
  for (uint64_t end_ns = std::min(at_ns_, ceiling_ns_); end_ns > from_ns;) {
    const CommandId command = processes_.CommandBefore(process, end_ns);
    uint64_t begin_ns = from_ns;
    const PathCommand& it = processes_.commands()[command];
    if (it.from_ns > from_ns && it.from_ns < end_ns) begin_ns = it.from_ns;
    steps_.push_back({.from_ns = begin_ns,
                      .to_ns = end_ns,
                      .thread = charged,
                      .command = command,
                      .state = state,
                      .is_outside = is_outside,
                      .served = is_outside ? served_ : kNobody,
                      .answers = is_outside ? answers_ : kNobody});
    end_ns = begin_ns;
  }
  MoveTo(from_ns);
}

void PathWalker::MoveTo(uint64_t at_ns) {
  if (at_ns < at_ns_) met_.assign(1, thread_);
  at_ns_ = at_ns;
  if (served_ == kNobody || at_ns_ > served_since_ns_) return;
  EndVisit(Move::kOther);
  thread_ = served_;
  served_ = kNobody;
  met_.push_back(thread_);
}

void PathWalker::EndVisit(Move left_by) {
  if (left_by == Move::kWake && entered_by_ == Move::kWake) {
    for (size_t i = visit_first_step_; i < steps_.size(); ++i) steps_[i].took_turn = true;
  }
  visit_first_step_ = steps_.size();
  entered_by_ = left_by;
}

void PathWalker::StepBack() {
  const uint64_t born_ns = timeline_.entities()[thread_].begin_ns;
  if (at_ns_ <= born_ns) return StepBeforeBirth();
  const SegmentCursor segments = timeline_.SegmentsFrom(thread_, at_ns_ - 1);
  if (segments.done() || segments.start_ns() >= at_ns_) return Charge(born_ns, PathState::kUnknown);
  if (segments.end_ns() < at_ns_) return Charge(segments.end_ns(), PathState::kUnknown);
  const ThreadSegment& segment = segments.segment();
  switch (segment.kind) {
    case SegmentKind::kRun:
      return Charge(segment.start_ns, PathState::kRun);
    case SegmentKind::kRunnable:
      return Charge(segment.start_ns, PathState::kReady);
    case SegmentKind::kUnknown:
      return Charge(segment.start_ns, PathState::kUnknown);
    case SegmentKind::kWait:
    case SegmentKind::kSpin:
      return StepOverWait(segment, segments.end_ns());
  }
}

void PathWalker::StepOverWait(const ThreadSegment& wait, uint64_t end_ns) {
  const uint64_t start_ns = wait.start_ns;
  // In its middle nothing is known of its end yet.
  if (end_ns > at_ns_ || wait.open_end != 0) return Charge(start_ns, PathState::kOther);
  switch (wait.cause) {
    case WaitCause::kThread:
    case WaitCause::kCreator:
    case WaitCause::kSpin:
      if (wait.waker >= timeline_.thread_count()) return Charge(start_ns, PathState::kOther);
      if (processes_.IsRecorder(processes_.Of(wait.waker), at_ns_))
        return Charge(start_ns, PathState::kRecorder);
      if (!JumpToWaker(wait.waker, start_ns)) Charge(start_ns, PathState::kOther);
      return;
    case WaitCause::kDisk:
    case WaitCause::kIdleDevice:
      return StepOverDisk(wait);
    case WaitCause::kNic:
    case WaitCause::kLink:
      return Charge(start_ns, PathState::kNetwork);
    case WaitCause::kTimer:
      return Charge(start_ns, PathState::kTimer);
    case WaitCause::kIrq:
    case WaitCause::kUnknown:
      return Charge(start_ns, PathState::kOther);
  }
}

void PathWalker::StepOverDisk(const ThreadSegment& wait) {
  const uint64_t start_ns = wait.start_ns;
  if (wait.waker == kNobody) return Charge(start_ns, PathState::kDisk);
  const auto request =
      requests_.Find(timeline_.entities()[wait.waker].device, thread_, start_ns, at_ns_);
  if (!request || request->issue_ns >= at_ns_) return Charge(start_ns, PathState::kDisk);
  const EntityId issuer = request->issuer;
  const EntityId waiter = thread_;
  if (issuer == kNobody) return Charge(start_ns, PathState::kDisk);
  // It went to sleep after it had asked.
  if (issuer == waiter) return Charge(std::min(request->issue_ns, start_ns), PathState::kDisk);
  // Asked by an outsider before the wait: what it did before is no part of this wait.
  const bool is_service = !IsOfJob(issuer) && request->issue_ns <= start_ns;
  if (is_service || processes_.IsRecorder(processes_.Of(issuer), request->issue_ns) ||
      !CanLandOn(issuer, request->issue_ns))
    return Charge(start_ns, PathState::kDisk);
  const EntityId was_served = served_;
  Charge(request->issue_ns, PathState::kDisk);
  // Charging may have led back to the thread that is served, or to the end.
  if (at_ns_ != request->issue_ns || served_ != was_served) return;
  LandOn(issuer, at_ns_, start_ns, Move::kOther);
}

void PathWalker::StepBeforeBirth() {
  const EntityId creator = timeline_.creator(thread_);
  if (creator == kNobody || creator >= timeline_.thread_count() ||
      processes_.IsRecorder(processes_.Of(creator), at_ns_) ||
      std::find(met_.begin(), met_.end(), creator) != met_.end() ||
      timeline_.entities()[creator].begin_ns > at_ns_)
    return Charge(floor_ns_, PathState::kUnknown);
  LandOn(creator, at_ns_, at_ns_, Move::kOther);
}

// A waker runs when it wakes. Where another thing is recorded, a part of the truth is missing.
bool PathWalker::CanLandOn(EntityId thread, uint64_t at_ns) const {
  const Entity& entity = timeline_.entities()[thread];
  if (at_ns < entity.begin_ns || at_ns > entity.end_ns) return false;
  if (at_ns == entity.begin_ns) return timeline_.creator(thread) != kNobody;
  const SegmentCursor segments = timeline_.SegmentsFrom(thread, at_ns - 1);
  if (segments.done() || segments.start_ns() >= at_ns || segments.end_ns() < at_ns) return false;
  const SegmentKind kind = segments.segment().kind;
  return kind == SegmentKind::kRun || kind == SegmentKind::kSpin || segments.end_ns() == at_ns ||
         kind == SegmentKind::kUnknown;
}

bool PathWalker::JumpToWaker(EntityId waker, uint64_t waiting_since_ns) {
  if (std::find(met_.begin(), met_.end(), waker) != met_.end()) return false;
  if (!CanLandOn(waker, at_ns_)) return false;
  LandOn(waker, at_ns_, waiting_since_ns, Move::kWake);
  return true;
}

void PathWalker::LandOn(EntityId thread, uint64_t at_ns, uint64_t waiting_since_ns, Move move) {
  EndVisit(move);
  if (IsOfJob(thread)) {
    served_ = kNobody;
  } else if (served_ == kNobody && IsOfJob(thread_)) {
    served_ = thread_;
    answers_ = thread;
    served_since_ns_ = waiting_since_ns;
  }
  if (!IsOfJob(thread)) entered_by_ = Move::kOther;
  thread_ = thread;
  met_.push_back(thread);
  MoveTo(at_ns);
}

}  // namespace gordian
