// SPDX-License-Identifier: Apache-2.0
#include "requests/steps_back.h"

#include <algorithm>

namespace gordian {
namespace {

// A server asks another one, and so on. Two threads that seem to ask each other must end somewhere.
constexpr int kMostServersDeep = 8;

}  // namespace

void StepsBack::GoBack(const Request& request) {
  request_ = request;
  floor_ns_ = request.start_ns;
  if (request.thread == kNobody || request.answer_ns <= floor_ns_) return;
  GoTo(request.thread, request.answer_ns);
  while (place_.at_ns > floor_ns_) {
    if (steps_.size() >= kMostRequestSteps) {
      ++counts_.cut_short;
      TellRest(RequestStepKind::kUnknown);
      return;
    }
    StepBack();
  }
}

std::vector<RequestStep> StepsBack::TakeSteps() {
  std::reverse(steps_.begin(), steps_.end());
  return std::move(steps_);
}

void StepsBack::Add(const RequestStep& step) {
  if (step.from_ns >= step.to_ns) return;
  if (!steps_.empty()) {
    RequestStep& later = steps_.back();
    const bool same = later.kind == step.kind && later.cause == step.cause &&
                      later.thread == step.thread && later.waits_for == step.waits_for &&
                      later.cause_thread == step.cause_thread && later.asked == step.asked &&
                      later.for_events == step.for_events && later.inner == step.inner &&
                      later.inner_thread == step.inner_thread;
    if (same) {
      later.from_ns = step.from_ns;
      return;
    }
  }
  steps_.push_back(step);
}

void StepsBack::TellRest(RequestStepKind kind) {
  Add({.from_ns = floor_ns_,
       .to_ns = place_.at_ns,
       .kind = kind,
       .cause = kind,
       .thread = place_.thread});
  place_.at_ns = floor_ns_;
}

void StepsBack::GoTo(EntityId thread, uint64_t at_ns) {
  place_ = {.thread = thread, .at_ns = at_ns, .came_ns = at_ns};
  LookAround();
}

void StepsBack::LookAround() {
  // A phase is its thread's own word for what it works on.
  const bool is_phase = request_.connection == kNoConnection;
  place_.marked_ns =
      is_phase ? 0 : input_.deeds.LastAnswer(place_.thread, request_, floor_ns_, place_.at_ns);
  place_.own = LastOwnRequest();
  place_.lower_ns = place_.own.asked != nullptr ? place_.own.asked->answer_ns : floor_ns_;
}

bool StepsBack::IsForMessage(EntityId thread, const ThreadSegment& wait) const {
  if (wait.cause == WaitCause::kNic || wait.cause == WaitCause::kLink) return true;
  if (input_.kinds.Of(thread, wait).for_events) return true;
  const std::vector<Entity>& entities = input_.timeline.entities();
  if (wait.cause != WaitCause::kThread || wait.waker >= input_.timeline.thread_count())
    return false;
  const Entity& waiter = entities[thread];
  const Entity& waker = entities[wait.waker];
  return waker.node != waiter.node || waker.tgid != waiter.tgid;
}

// Of several at once, the one that was answered last held it.
StepsBack::OwnRequest StepsBack::LastOwnRequest() const {
  const auto asked = input_.deeds.Asked(place_.thread, floor_ns_, place_.at_ns);
  for (size_t i = asked.size(); i-- > 0;) {
    const Request& own = *asked[i];
    if (own.start_ns < floor_ns_ || own.connection == request_.connection) continue;
    if (!input_.deeds.IsFor(own, place_.thread, request_)) continue;
    for (SegmentCursor at = input_.timeline.SegmentsFrom(place_.thread, own.start_ns);
         !at.done() && at.start_ns() < own.answer_ns; at.Next()) {
      const bool sleeps = at.segment().kind == SegmentKind::kWait &&
                          at.start_ns() >= own.start_ns && at.start_ns() < at.end_ns();
      if (sleeps && IsForMessage(place_.thread, at.segment()))
        return {.asked = &own, .sleep_ns = at.start_ns()};
    }
  }
  return {};
}

void StepsBack::StepBack() {
  if (place_.own.asked != nullptr && place_.at_ns <= place_.lower_ns) return TellServer();
  const StayOfThread stay = StayBefore(input_.timeline, place_.thread, place_.at_ns);
  const uint64_t from_ns = std::max(place_.lower_ns, stay.start_ns);
  if (stay.is_wait) return TellWait(stay, from_ns);
  switch (stay.stay) {
    case Stay::kRun:
    case Stay::kRunnable:
      return TellOnCpu(KindOfStay(stay.stay), from_ns);
    case Stay::kUnborn:
      return HandOverFrom(stay.waker, stay.until_ns);
    case Stay::kGone:
      return TellRest(RequestStepKind::kUnknown);
    default:
      Add({.from_ns = from_ns, .to_ns = place_.at_ns, .thread = place_.thread});
      place_.at_ns = from_ns;
  }
}

void StepsBack::TellOnCpu(RequestStepKind kind, uint64_t from_ns) {
  const bool behind = IsBehind();
  if (!behind) from_ns = std::max(from_ns, place_.marked_ns);
  Add({.from_ns = from_ns,
       .to_ns = place_.at_ns,
       .kind = behind ? RequestStepKind::kBehind : kind,
       .cause = kind,
       .thread = place_.thread,
       .waits_for = behind ? place_.thread : kNobody,
       .cause_thread = place_.thread});
  place_.at_ns = from_ns;
}

// From the answer of the thread's own request back to when it slept for it.
void StepsBack::TellServer() {
  const Request& asked = *place_.own.asked;
  const uint64_t from_ns = place_.own.sleep_ns;
  const uint64_t until_ns = place_.at_ns;
  const bool serves_here = input_.deeds.IsServed(asked);
  const Request* const served = serves_here ? &asked : input_.deeds.AsServed(asked);
  const auto add_step = [&](RequestStep step) {
    step.from_ns = std::max(step.from_ns, from_ns);
    step.to_ns = std::min(step.to_ns, until_ns);
    step.kind = RequestStepKind::kPeer;
    step.thread = place_.thread;
    step.waits_for = served == nullptr ? kNobody : served->thread;
    step.asked = asked.connection;
    Add(step);
  };
  const auto add = [&](uint64_t begin_ns, uint64_t end_ns, RequestStepKind cause) {
    add_step({.from_ns = begin_ns, .to_ns = end_ns, .cause = cause});
  };
  if (served == nullptr || served->thread == kNobody || depth_ >= kMostServersDeep) {
    add(from_ns, until_ns, RequestStepKind::kPeer);
  } else {
    StepsBack there(input_, counts_);
    there.depth_ = depth_ + 1;
    there.GoBack(*served);
    add(served->answer_ns, until_ns, RequestStepKind::kNetwork);
    for (const RequestStep& step : there.steps_) {
      const bool is_own = step.waits_for == kNobody || step.kind == RequestStepKind::kBehind;
      RequestStep told = {.from_ns = step.from_ns,
                          .to_ns = step.to_ns,
                          .cause = step.kind,
                          .cause_thread = is_own ? step.thread : step.waits_for,
                          .for_events = step.for_events};
      if (step.kind == RequestStepKind::kPeer) {
        const bool is_deeper = step.inner_thread != kNobody;
        told.inner = is_deeper ? step.inner : step.cause;
        told.inner_thread = is_deeper ? step.inner_thread : step.cause_thread;
      }
      add_step(told);
    }
    add(from_ns, served->start_ns, RequestStepKind::kNetwork);
  }
  place_.at_ns = from_ns;
  place_.came_ns = from_ns;
  place_.slept = false;
  LookAround();
}

}  // namespace gordian
