// SPDX-License-Identifier: Apache-2.0
#include "requests/steps_back.h"

#include <algorithm>

namespace gordian {
namespace {

// A server asks another one, and so on. Two threads that seem to ask each other must end somewhere.
constexpr int kMostServersDeep = 8;

RequestStepKind KindOf(Stay stay) {
  switch (stay) {
    case Stay::kRun:
      return RequestStepKind::kRun;
    case Stay::kRunnable:
      return RequestStepKind::kRunnable;
    case Stay::kDisk:
      return RequestStepKind::kDisk;
    case Stay::kNetwork:
    case Stay::kLink:
      return RequestStepKind::kNetwork;
    case Stay::kTimer:
      return RequestStepKind::kTimer;
    case Stay::kInterrupt:
      return RequestStepKind::kInterrupt;
    case Stay::kUnknown:
    case Stay::kForThread:
    case Stay::kUnborn:
    case Stay::kGone:
      break;
  }
  return RequestStepKind::kUnknown;
}

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
                      later.cause_thread == step.cause_thread && later.asked == step.asked;
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
      return TellOnCpu(KindOf(stay.stay), from_ns);
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

WaitKinds::WaitKind StepsBack::KindOfWait(const ThreadSegment& wait) {
  const WaitKinds::WaitKind kind = input_.kinds.Of(place_.thread, wait);
  counts_.by_likeness += kind.by_likeness ? 1 : 0;
  counts_.not_known += kind.is_known ? 0 : 1;
  return kind;
}

void StepsBack::TellWait(const StayOfThread& stay, uint64_t from_ns) {
  // It slept when the kernel sent what it had written before.
  if (stay.until_ns > place_.at_ns) {
    const bool had_written = stay.start_ns > floor_ns_;
    if (!had_written) return TellRest(RequestStepKind::kUnknown);
    Add({.from_ns = from_ns,
         .to_ns = place_.at_ns,
         .kind = RequestStepKind::kNetwork,
         .cause = RequestStepKind::kNetwork,
         .thread = place_.thread});
    place_.at_ns = from_ns;
    return;
  }
  const SegmentCursor at = input_.timeline.SegmentsFrom(place_.thread, place_.at_ns - 1);
  const ThreadSegment wait = at.segment();
  const bool for_own = place_.own.asked != nullptr && stay.start_ns < place_.lower_ns;
  if (stay.stay == Stay::kForThread && !for_own) return TellWaitForThread(stay, wait, from_ns);
  const bool had_begun = stay.start_ns <= floor_ns_;
  RequestStepKind kind = KindOf(stay.stay);
  // Behind the answer of a server, or of the request itself, only its delivery is left.
  if (for_own) kind = RequestStepKind::kNetwork;
  if (stay.stay == Stay::kNetwork && !for_own && !had_begun) kind = RequestStepKind::kPeer;
  const bool behind = IsBehind() && !for_own;
  Add({.from_ns = from_ns,
       .to_ns = place_.at_ns,
       .kind = behind ? RequestStepKind::kBehind : kind,
       .cause = kind,
       .thread = place_.thread,
       .waits_for = behind ? place_.thread : wait.waker,
       .cause_thread = behind ? place_.thread : wait.waker});
  place_.at_ns = from_ns;
  if (behind && KindOfWait(wait).for_events) LookAround();
}

// The client, or another machine: only messages come from there.
bool StepsBack::IsOfClient(EntityId waker) const {
  const std::vector<Entity>& entities = input_.timeline.entities();
  if (entities[waker].node != entities[place_.thread].node) return true;
  if (request_.client == kNobody) return false;
  const Entity& client = entities[request_.client];
  return entities[waker].node == client.node && entities[waker].tgid == client.tgid &&
         client.tgid != entities[place_.thread].tgid;
}

void StepsBack::HandOverFrom(EntityId waker, uint64_t woken_ns) {
  const bool at_once = place_.came_ns == woken_ns && place_.thread != request_.thread;
  const EntityId turn = at_once || woken_ns > place_.at_ns
                            ? kNobody
                            : FindTurn(input_.timeline, place_.thread, waker, woken_ns);
  if (turn == kNobody) {
    ++counts_.causes_asleep;
    return TellRest(RequestStepKind::kUnknown);
  }
  GoTo(turn, woken_ns);
}

void StepsBack::TellWaitForThread(const StayOfThread& stay, const ThreadSegment& wait,
                                  uint64_t from_ns) {
  const bool from_client = IsOfClient(stay.waker);
  const bool had_begun = stay.start_ns <= floor_ns_;
  if (had_begun && from_client) return TellRest(RequestStepKind::kNetwork);
  const WaitKinds::WaitKind kind = KindOfWait(wait);
  // A thread that answered another request later may have waited for that one.
  const bool may_be_of_other = IsBehind() && !kind.for_events;
  if (had_begun && !may_be_of_other) {
    certain_hand_overs_.emplace_back(stay.waker, place_.thread);
    return HandOverFrom(stay.waker, stay.until_ns);
  }
  const bool is_giver = input_.givers != nullptr && request_.connection != kNoConnection &&
                        input_.givers->contains({stay.waker, place_.thread});
  if (is_giver && !from_client) return HandOverFrom(stay.waker, stay.until_ns);
  if (may_be_of_other) {
    Add({.from_ns = from_ns,
         .to_ns = place_.at_ns,
         .kind = RequestStepKind::kBehind,
         .cause = kind.for_lock ? RequestStepKind::kLock : RequestStepKind::kThread,
         .thread = place_.thread,
         .waits_for = place_.thread,
         .cause_thread = stay.waker});
    place_.at_ns = from_ns;
    return;
  }
  // An event loop that other clients woke in between still waited for what ended its next wait.
  const bool is_whole = stay.start_ns >= request_.received_ns;
  if (from_client && is_whole && place_.later.waits_for != kNobody) {
    TellCauses(place_.later, place_.later.waits_for, from_ns, place_.at_ns, 1);
    place_.at_ns = from_ns;
    return LookAround();
  }
  const Within within = {.kind = from_client     ? RequestStepKind::kPeer
                                 : kind.for_lock ? RequestStepKind::kLock
                                                 : RequestStepKind::kThread,
                         .thread = place_.thread,
                         .waits_for = stay.waker};
  const EntityId turn = FindTurn(input_.timeline, place_.thread, stay.waker, stay.until_ns);
  TellCauses(within, turn, from_ns, place_.at_ns, 1);
  place_.at_ns = from_ns;
  if (!kind.for_events) return;
  if (!from_client) place_.later = within;
  LookAround();
}

void StepsBack::TellCauses(const Within& within, EntityId thread, uint64_t from_ns,
                           uint64_t until_ns, int depth) {
  const auto add = [&](uint64_t begin_ns, uint64_t end_ns, RequestStepKind cause) {
    Add({.from_ns = begin_ns,
         .to_ns = end_ns,
         .kind = within.kind,
         .cause = cause,
         .thread = within.thread,
         .waits_for = within.waits_for,
         .cause_thread = thread,
         .asked = within.asked});
  };
  // A holder of a lock that serves held nothing before its own request came: then others held it.
  const auto known_since = [&](uint64_t at_ns) {
    const bool is_lock = within.kind == RequestStepKind::kLock && thread != kNobody;
    const uint64_t open_ns = is_lock ? input_.deeds.StartOfOpen(thread, at_ns) : 0;
    return std::clamp(open_ns, from_ns, at_ns);
  };
  bool just_came = false;
  uint64_t known_ns = known_since(until_ns);
  uint64_t at_ns = until_ns;
  while (at_ns > known_ns) {
    const bool is_lost = thread == kNobody || steps_.size() >= kMostRequestSteps;
    if (is_lost) {
      ++counts_.causes_asleep;
      return add(from_ns, at_ns, RequestStepKind::kUnknown);
    }
    const StayOfThread stay = StayBefore(input_.timeline, thread, at_ns);
    const uint64_t begin_ns = std::max(known_ns, stay.start_ns);
    if (IsOnPath(stay.stay)) {
      add(begin_ns, at_ns, KindOf(stay.stay));
      at_ns = begin_ns;
      just_came = false;
      continue;
    }
    const bool goes_over = stay.stay == Stay::kUnborn || stay.start_ns <= known_ns;
    const EntityId turn = stay.stay == Stay::kGone || (goes_over && just_came)
                              ? kNobody
                              : FindTurn(input_.timeline, thread, stay.waker, stay.until_ns);
    if (goes_over || turn == kNobody) {
      thread = turn;
      just_came = true;
      known_ns = std::max(known_ns, known_since(at_ns));
      continue;
    }
    if (depth >= kMostNestedWaits) {
      ++counts_.nested_too_deep;
      add(begin_ns, at_ns, RequestStepKind::kUnknown);
    } else {
      TellCauses(within, turn, begin_ns, at_ns, depth + 1);
    }
    at_ns = begin_ns;
    just_came = false;
  }
  thread = kNobody;
  add(from_ns, known_ns, RequestStepKind::kLock);
}

// From the answer of the thread's own request back to when it slept for it.
void StepsBack::TellServer() {
  const Request& asked = *place_.own.asked;
  const uint64_t from_ns = place_.own.sleep_ns;
  const uint64_t until_ns = place_.at_ns;
  const bool serves_here = input_.deeds.IsServed(asked);
  const Request* const served = serves_here ? &asked : input_.deeds.AsServed(asked);
  const auto add = [&](uint64_t begin_ns, uint64_t end_ns, RequestStepKind cause,
                       EntityId cause_thread) {
    Add({.from_ns = std::max(begin_ns, from_ns),
         .to_ns = std::min(end_ns, until_ns),
         .kind = RequestStepKind::kPeer,
         .cause = cause,
         .thread = place_.thread,
         .waits_for = served == nullptr ? kNobody : served->thread,
         .cause_thread = cause_thread,
         .asked = asked.connection});
  };
  if (served == nullptr || served->thread == kNobody || depth_ >= kMostServersDeep) {
    add(from_ns, until_ns, RequestStepKind::kPeer, kNobody);
  } else {
    StepsBack there(input_, counts_);
    there.depth_ = depth_ + 1;
    there.GoBack(*served);
    add(served->answer_ns, until_ns, RequestStepKind::kNetwork, kNobody);
    for (const RequestStep& step : there.steps_) {
      const bool is_own = step.waits_for == kNobody || step.kind == RequestStepKind::kBehind;
      add(step.from_ns, step.to_ns, step.kind, is_own ? step.thread : step.waits_for);
    }
    add(from_ns, served->start_ns, RequestStepKind::kNetwork, kNobody);
  }
  place_.at_ns = from_ns;
  place_.came_ns = from_ns;
  LookAround();
}

}  // namespace gordian
