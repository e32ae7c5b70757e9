// SPDX-License-Identifier: Apache-2.0
// What the waits on the way back were: hand-overs, or parts of the request, and by whom.
#include <algorithm>

#include "requests/steps_back.h"

namespace gordian {
namespace {

// Its next answer is among the next ones, unless the thread asks more servers than that at once.
constexpr size_t kMostAnswersTried = 64;

}  // namespace

RequestStepKind KindOfStay(Stay stay) {
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

WaitKinds::WaitKind StepsBack::KindOfWait(const ThreadSegment& wait) {
  const WaitKinds::WaitKind kind = input_.kinds.Of(place_.thread, wait);
  counts_.by_likeness += kind.by_likeness ? 1 : 0;
  counts_.not_known += kind.is_known ? 0 : 1;
  return kind;
}

// An event loop that goes to sleep has looked at all that had come. What it does right behind a
// sleep that its own timer ended, it does by that timer. So a request with which it does something
// then stood behind nobody: it waited for the timer since the loop first slept with it, whoever
// woke the loop for other requests meanwhile. One that nobody woke meanwhile may have listened to
// nobody.
std::optional<uint64_t> StepsBack::WaitedForTimerSince(const StayOfThread& stay) const {
  const uint64_t at_hand_ns =
      place_.own.asked != nullptr ? place_.lower_ns : std::max(floor_ns_, request_.received_ns);
  if (place_.slept || place_.thread != request_.thread) return std::nullopt;
  std::optional<uint64_t> since_ns;
  bool listens = false;
  for (SegmentCursor at = input_.timeline.SegmentsFrom(place_.thread, at_hand_ns);
       !at.done() && at.start_ns() < stay.start_ns; at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (segment.kind != SegmentKind::kWait || at.start_ns() < at_hand_ns) continue;
    if (!input_.kinds.Of(place_.thread, segment).for_events) continue;
    if (!since_ns) since_ns = at.start_ns();
    listens |= segment.cause == WaitCause::kThread;
  }
  return listens ? since_ns : std::nullopt;
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
  const bool for_events = input_.kinds.Of(place_.thread, wait).for_events;
  if (stay.stay == Stay::kTimer && for_events) {
    if (const std::optional<uint64_t> since_ns = WaitedForTimerSince(stay)) {
      Add({.from_ns = *since_ns,
           .to_ns = place_.at_ns,
           .kind = RequestStepKind::kTimer,
           .cause = RequestStepKind::kTimer,
           .thread = place_.thread,
           .waits_for = wait.waker,
           .cause_thread = wait.waker,
           .for_events = true});
      place_.at_ns = *since_ns;
      place_.slept = true;
      return LookAround();
    }
  }
  place_.slept |= for_events;
  const bool for_own = place_.own.asked != nullptr && stay.start_ns < place_.lower_ns;
  if (stay.stay == Stay::kForThread && !for_own) return TellWaitForThread(stay, wait, from_ns);
  const bool had_begun = stay.start_ns <= floor_ns_;
  RequestStepKind kind = KindOfStay(stay.stay);
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
       .cause_thread = behind ? place_.thread : wait.waker,
       .for_events = for_events});
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

bool StepsBack::IsAnswerForOther(const StayOfThread& stay) const {
  const auto answered =
      input_.deeds.Asked(place_.thread, stay.start_ns, std::max(stay.until_ns, request_.answer_ns));
  size_t behind = 0;
  for (const Request* own : answered) {
    if (own->answer_ns > stay.until_ns && ++behind > kMostAnswersTried) break;
    if (own->thread != stay.waker) continue;
    if (own->start_ns <= stay.start_ns && !input_.deeds.IsFor(*own, place_.thread, request_))
      return true;
    // Behind the wait only its next answer counts: a server that reads a question from a unix
    // socket wakes who already sleeps for the answer there.
    if (own->answer_ns > stay.until_ns) return false;
  }
  return false;
}

void StepsBack::TellWaitForThread(const StayOfThread& stay, const ThreadSegment& wait,
                                  uint64_t from_ns) {
  const bool from_client = IsOfClient(stay.waker);
  const bool had_begun = stay.start_ns <= floor_ns_;
  if (had_begun && from_client) return TellRest(RequestStepKind::kNetwork);
  const WaitKinds::WaitKind kind = KindOfWait(wait);
  // A thread that answered another request later may have waited for that one. It did if it waited
  // for an answer of its own: who answers a question hands no work on.
  const bool is_answer = IsAnswerForOther(stay);
  const bool may_be_of_other = is_answer || (IsBehind() && !kind.for_events);
  if (had_begun && !may_be_of_other) {
    certain_hand_overs_.emplace_back(stay.waker, place_.thread);
    return HandOverFrom(stay.waker, stay.until_ns);
  }
  const bool is_giver = input_.givers != nullptr && request_.connection != kNoConnection &&
                        input_.givers->contains({stay.waker, place_.thread});
  if (is_giver && !from_client && !is_answer) return HandOverFrom(stay.waker, stay.until_ns);
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
    const bool is_full = steps_.size() >= kMostRequestSteps;  // the walk counts that
    if (thread == kNobody || is_full) {
      counts_.causes_asleep += is_full ? 0 : 1;
      return add(from_ns, at_ns, RequestStepKind::kUnknown);
    }
    const StayOfThread stay = StayBefore(input_.timeline, thread, at_ns);
    const uint64_t begin_ns = std::max(known_ns, stay.start_ns);
    if (IsOnPath(stay.stay)) {
      add(begin_ns, at_ns, KindOfStay(stay.stay));
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

}  // namespace gordian
