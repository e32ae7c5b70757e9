// SPDX-License-Identifier: Apache-2.0
// Workers of the kernel that a disk wakes out of their idleness: where the paths on them go on.
#include <algorithm>
#include <utility>

#include "participation/sweep.h"

namespace gordian {

// The first that the worker woke of those that waited already at that time. If that is a worker,
// too, which was idle, the first that it woke of these, and so on. An idle worker itself only where
// it woke none of these. Each wake is later than those on the way to it, so there is no circle.
EntityId WindowSweep::FirstPassedOnTo(EntityId worker, uint64_t time_ns) {
  EntityId first_idle = kNobody;
  const auto visit_woken_by = [&](EntityId by) {
    const auto woken = woken_by_.find(by);
    if (woken == woken_by_.end()) return;
    for (const EntityId waiter : woken->second) {
      const StayOfThread& is = lines_[waiter].is;
      if (is.stay == Stay::kForThread && is.waker == by && is.until_ns > time_ns)
        to_visit_.push_back(waiter);
    }
  };
  to_visit_.clear();
  visit_woken_by(worker);
  while (!to_visit_.empty()) {
    const EntityId waiter = to_visit_.back();
    to_visit_.pop_back();
    if (!lines_[waiter].is.is_idle) return waiter;
    if (first_idle == kNobody) first_idle = waiter;
    visit_woken_by(waiter);
  }
  return first_idle;
}

// The thread of the kernel worked for one that waited already.
void WindowSweep::LeaveIdleness(EntityId thread, uint64_t time_ns) {
  Line& line = lines_[thread];
  if (!line.is.is_idle || line.is.stay != Stay::kDisk) return;
  const EntityId waiter = FirstPassedOnTo(thread, time_ns);
  if (waiter == kNobody) return PutOnRequest(thread, time_ns);
  lines_[waiter].is.stay = Stay::kDisk;
  const double paths = std::exchange(line.paths, 0);
  if (paths == 0) return;
  CellOf(thread, RecordedActivity::kDisk, line.phase).crossings -= paths;  // they stay no longer
  Hop(waiter, thread, HopKind::kPassedOn, paths, 0);
  Arrive(waiter, paths, time_ns);
}

// Nobody waited yet when the disk woke the worker: what it was idle for is the request, whose time
// is that of who asked for it.
void WindowSweep::PutOnRequest(EntityId worker, uint64_t time_ns) {
  Line& line = lines_[worker];
  if (line.paths == 0) return;
  if (!requests_) requests_.emplace(timeline_);
  const auto request = RequestThatWoke(timeline_, *requests_, worker, time_ns);
  if (!request) return;
  const bool is_asked_before = request->issue_ns <= window_.from_ns;
  EntityId issuer = request->issuer;
  if (!is_asked_before) {
    issuer = FindTurn(timeline_, kNobody, request->issuer, request->issue_ns);
    if (issuer == kNobody) {
      ++result_.doubts.wakes_by_sleepers;
      return;
    }
  }
  const double paths = std::exchange(line.paths, 0);
  CellOf(worker, RecordedActivity::kDisk, line.phase).crossings -= paths;  // they stay no longer
  const uint32_t phase =
      graph_.phases.empty() ? kNoPhase : PhaseBefore(PhasesOf(graph_, request->issuer), time_ns);
  const uint64_t since_ns = std::max(request->issue_ns, window_.from_ns);
  Cell& disk = CellOf(request->issuer, RecordedActivity::kDisk, phase);
  disk.ns += paths * static_cast<double>(time_ns - since_ns);
  disk.crossings += paths;
  KeepStretch({.from_ns = since_ns,
               .to_ns = time_ns,
               .thread = request->issuer,
               .activity = RecordedActivity::kDisk,
               .phase = phase});
  Hop(request->issuer, worker, HopKind::kPassedOn, paths, 0);
  if (!is_asked_before) under_way_.push({request->issue_ns, issuer, paths});
}

void WindowSweep::NoteWoken(EntityId thread) {
  const StayOfThread& is = lines_[thread].is;
  if (is.stay != Stay::kForThread || is.waker >= lines_.size() ||
      !timeline_.entities()[is.waker].kernel_thread)
    return;
  if (IsAtWork(lines_[is.waker].is.stay)) woken_by_[is.waker].push_back(thread);
}

// Those it woke later than in the stretch of work at hand.
void WindowSweep::ForgetWoken(EntityId thread) {
  if (!timeline_.entities()[thread].kernel_thread) return;
  const auto woken = woken_by_.find(thread);
  if (woken != woken_by_.end()) woken->second.clear();
}

}  // namespace gordian
