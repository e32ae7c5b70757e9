// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/step_player.h"

#include <algorithm>
#include <utility>

#include "whatif/play/step_times.h"

namespace gordian {

StepPlayer::StepPlayer(const Score& score, const Variation& variation, Stage& stage,
                       MarkTimes& marks)
    : score_(score),
      variation_(variation),
      stage_(stage),
      marks_(marks),
      tokens_(score, variation),
      locks_(score),
      pieces_(score),
      work_left_(score, variation.kind),
      disks_(score, variation.service_factor),
      kept_ns_(variation.work_factor.size()),
      owed_ns_(variation.wake_cost_ns + variation.sleep_cost_ns == 0 ? 0 : score.threads()) {
  for (const Pool& pool : score.pools) {
    for (const EntityId thread : pool.threads)
      stage_.players()[thread].next = stage_.players()[thread].end = 0;
  }
}

void StepPlayer::GoOn(EntityId thread) {
  Player& player = stage_.players()[thread];
  do {
    if (!IsPieceAskedFor(thread)) return;
    while (player.next < player.end) {
      if (!Do(thread, score_.steps[player.next])) return;
      ++player.next;
    }
  } while (TakePiece(thread) || TakeOver(thread));
  stage_.Block(thread, At::kDone);
}

bool StepPlayer::Do(EntityId thread, const Step& step) {
  switch (step.kind) {
    case StepKind::kRun:
      return Run(thread, step);
    case StepKind::kPause:
      return Pause(thread, step);
    case StepKind::kAwait: {
      const bool is_over = tokens_.Await(thread, step.number);
      if (!owed_ns_.empty() && score_.PairOf(step.number).carried && tokens_.HasReleased())
        owed_ns_[thread] += static_cast<int64_t>(variation_.wake_cost_ns);
      if (!is_over) stage_.Block(thread, At::kBlocked, KeepsSeat(step));
      if (!is_over) Keep(thread, variation_.kept_sleep_ns);
      if (is_over && !owed_ns_.empty()) SaveSleep(thread, step.number);
      WakeReleased();
      return is_over;
    }
    case StepKind::kHandOver:
      return HandOver(thread, step.number);
    case StepKind::kRequest:
      return Request(thread, step.number);
    case StepKind::kAwaitDisk:
      return AwaitDisk(thread, step);
    case StepKind::kMark:
      marks_.Count(thread, step.number, stage_.now_ns());
      return true;
    case StepKind::kOffCpu:
      return OffCpu(thread, step);
    case StepKind::kAcquire:
      if (locks_.Acquire(thread, step.number)) return true;
      stage_.Block(thread, At::kBlocked);
      return false;
    case StepKind::kRelease:
      return Release(thread, step.number);
  }
  return true;
}

bool StepPlayer::Run(EntityId thread, const Step& step) {
  Player& player = stage_.players()[thread];
  if (player.left_ns == 0) {
    player.left_ns = RunNs(variation_, thread, step);
    if (!kept_ns_.empty()) AddKept(thread, step, player.left_ns);
    if (!owed_ns_.empty()) SettleWakes(thread, player.left_ns);
    if (player.left_ns == 0) return true;
  }
  stage_.Run(thread);
  return false;
}

// What it owes for wakes, or saves, is a part of its next run.
void StepPlayer::SettleWakes(EntityId thread, uint64_t& run_ns) {
  const int64_t owed_ns = std::exchange(owed_ns_[thread], 0);
  const auto length_ns = static_cast<int64_t>(run_ns) + owed_ns;
  run_ns = length_ns < 0 ? 0 : static_cast<uint64_t>(length_ns);
}

// Never more than was recorded.
void StepPlayer::AddKept(EntityId thread, const Step& step, uint64_t& run_ns) {
  const double left_ns = static_cast<double>(step.duration_ns) - static_cast<double>(run_ns);
  const double more_ns = std::clamp(kept_ns_[thread], 0.0, std::max(0.0, left_ns));
  kept_ns_[thread] -= more_ns;
  run_ns += static_cast<uint64_t>(more_ns);
}

void StepPlayer::Keep(EntityId thread, uint64_t cost_ns) {
  if (!kept_ns_.empty())
    kept_ns_[thread] += static_cast<double>(cost_ns) * (1 - variation_.work_factor[thread]);
}

void StepPlayer::SaveSleep(EntityId thread, uint32_t hand_over) {
  const HandOverPair& pair = score_.PairOf(hand_over);
  if (pair.count == 0 || pair.carried || score_.relayed_disk[hand_over] != kNoDisk) return;
  owed_ns_[thread] -= static_cast<int64_t>(variation_.sleep_cost_ns);
}

void StepPlayer::CountWake(EntityId thread, uint32_t hand_over) {
  const HandOverPair& pair = score_.PairOf(hand_over);
  const bool is_birth = pair.count == 0, wakes = tokens_.IsWaitedFor(hand_over);
  if (is_birth || pair.carried != wakes) return;
  const auto cost_ns = static_cast<int64_t>(variation_.wake_cost_ns);
  owed_ns_[thread] += pair.carried ? cost_ns : -cost_ns;
}

bool StepPlayer::Pause(EntityId thread, const Step& step) {
  const uint64_t length_ns = PauseNs(variation_, thread, step);
  if (length_ns == 0) return true;
  stage_.Block(thread, At::kPausing, step.keeps_seat);
  stage_.Schedule(ReplayEventKind::kPauseEnd, length_ns, thread);
  return false;
}

bool StepPlayer::OffCpu(EntityId thread, const Step& step) {
  // A thread that did not wait needs no wake-up, nor does one that does something else meanwhile.
  Player& player = stage_.players()[thread];
  if (step.after_wait &&
      (!std::exchange(player.waited, false) || stage_.seats().IsTakenByAnother(thread)))
    return true;
  const uint64_t length_ns = OffCpuNs(variation_, score_.others_apart, thread, step);
  if (length_ns == 0) return true;
  stage_.CountReady(thread, length_ns);
  ++player.next;
  stage_.Block(thread, At::kPausing, !step.after_wait);
  stage_.Schedule(ReplayEventKind::kOnCpu, length_ns, thread);
  return false;
}

bool StepPlayer::HandOver(EntityId thread, uint32_t hand_over) {
  const uint64_t flight_ns = FlightNs(score_, variation_, hand_over);
  if (!tokens_.Send(thread, hand_over, flight_ns, stage_.now_ns())) {
    stage_.Block(thread, At::kBlocked);
    return false;
  }
  if (!owed_ns_.empty()) CountWake(thread, hand_over);
  if (tokens_.IsWaitedFor(hand_over)) Keep(thread, variation_.kept_wake_ns);
  if (flight_ns == 0) {
    Arrive(hand_over);
  } else {
    stage_.Schedule(ReplayEventKind::kArrived, flight_ns, hand_over);
  }
  return true;
}

void StepPlayer::Arrive(uint32_t hand_over) {
  tokens_.Arrive(hand_over);
  WakeReleased();
}

bool StepPlayer::Request(EntityId thread, uint32_t request) {
  const DiskRequest& asked = score_.requests[request];
  if (!asked.stays && variation_.AsksNoMore(thread, asked.disk, score_.disks.size())) {
    disks_.Skip(request);
  } else if (disks_.Ask(request, stage_.now_ns())) {
    stage_.Schedule(ReplayEventKind::kServed, disks_.ServiceOf(request), request);
  }
  WakeServed();
  return true;
}

bool StepPlayer::AwaitDisk(EntityId thread, const Step& step) {
  if (disks_.IsComplete(step.number)) return true;
  const DiskRequest& asked = score_.requests[step.number];
  if (!asked.stays && variation_.DropsDisk(thread, asked.disk, score_.disks.size())) return true;
  disks_.Await(thread, step.number);
  stage_.Block(thread, At::kBlocked, step.keeps_seat);
  return false;
}

void StepPlayer::EndService(uint32_t request) {
  for (const uint32_t begun : disks_.Complete(request, stage_.now_ns()))
    stage_.Schedule(ReplayEventKind::kServed, disks_.ServiceOf(begun), begun);
  WakeServed();
}

bool StepPlayer::Release(EntityId thread, uint32_t lock) {
  const LockWays::Released released = locks_.Release(thread, lock);
  for (const EntityId served : released.served) {
    stage_.Wake(served);
    SkipHold(served, lock);
  }
  if (released.next != kNobody) {
    stage_.Wake(released.next);
    ++stage_.players()[released.next].next;
  }
  return true;
}

// Goes to the step behind its release of the lock. The steps that others would wait for happen now.
void StepPlayer::SkipHold(EntityId thread, uint32_t lock) {
  Player& player = stage_.players()[thread];
  for (bool released = false; !released && player.next < player.end; ++player.next) {
    const Step& step = score_.steps[player.next];
    if (step.kind == StepKind::kAwait) tokens_.SkipAwait(step.number);
    if (step.kind == StepKind::kHandOver) tokens_.ForceHandOver(step.number);
    if (step.kind == StepKind::kRequest) disks_.Skip(step.number);
    if (step.kind == StepKind::kMark) marks_.Count(thread, step.number, stage_.now_ns());
    released = step.kind == StepKind::kRelease && step.number == lock;
  }
  WakeReleased();
  WakeServed();
}

bool StepPlayer::TakePiece(EntityId thread) {
  const Pool::Piece* piece = pieces_.Take(thread);
  if (piece == nullptr) return false;
  Player& player = stage_.players()[thread];
  player.next = piece->begin;
  player.end = piece->end;
  player.asked = piece->asked;
  return true;
}

// Part of the work left to the thread of its kind that has most left.
bool StepPlayer::TakeOver(EntityId thread) {
  std::vector<Player>& players = stage_.players();
  const WorkLeft::Share share = work_left_.MostOf(thread, players);
  if (share.from == kNobody) return false;
  players[share.from].end = share.steps.begin;
  players[thread].next = share.steps.begin;
  players[thread].end = share.steps.end;
  return true;
}

bool StepPlayer::IsPieceAskedFor(EntityId thread) {
  Player& player = stage_.players()[thread];
  if (player.asked == kNoHandOver) return true;
  if (!tokens_.IsAskedFor(thread, player.asked)) {
    stage_.Block(thread, At::kBlocked);
    return false;
  }
  player.asked = kNoHandOver;
  return true;
}

void StepPlayer::WakeReleased() {
  for (const Tokens::Release& release : tokens_.TakeReleased()) {
    stage_.Wake(release.thread);
    if (!release.step_done) continue;
    if (!score_.flight_ns.empty()) CountFlight(release.thread);
    ++stage_.players()[release.thread].next;
  }
}

// A wait that ends with a message was for the link as long as that was under way.
void StepPlayer::CountFlight(EntityId thread) {
  const Step& step = score_.steps[stage_.players()[thread].next];
  if (step.kind == StepKind::kAwait)
    stage_.CountFlight(thread, FlightNs(score_, variation_, step.number));
}

void StepPlayer::WakeServed() {
  for (const EntityId waiter : disks_.TakeReleased()) stage_.Wake(waiter);
}

bool StepPlayer::LetOneFurther() {
  const bool is_any = tokens_.LetOneFurther();
  WakeReleased();
  return is_any;
}

bool StepPlayer::KeepsSeat(const Step& await) const {
  return await.keeps_seat && (keep_no_seat_.empty() || keep_no_seat_.count(EndsOf(await)) == 0);
}

StepPlayer::Ends StepPlayer::EndsOf(const Step& await) const {
  const HandOverPair& pair = score_.PairOf(await.number);
  return {score_.like[pair.waiter], score_.like[pair.waker]};
}

bool StepPlayer::LetOneLeaveSeat() {
  const EntityId thread = FirstBlocked(score_, stage_.players(), [this](EntityId blocked) {
    const Step& step = score_.steps[stage_.players()[blocked].next];
    return step.kind == StepKind::kAwait && stage_.seats().IsInOthersWay(blocked);
  });
  if (thread == kNobody) return false;
  keep_no_seat_.insert(EndsOf(score_.steps[stage_.players()[thread].next]));
  stage_.LeaveSeat(thread);
  return true;
}

bool StepPlayer::ForceOne() {
  const EntityId first = FirstBlocked(score_, stage_.players(), [](EntityId) { return true; });
  if (first == kNobody) return false;
  Player& player = stage_.players()[first];
  tokens_.Forget(first);
  if (std::exchange(player.asked, kNoHandOver) != kNoHandOver) {
    stage_.Wake(first);
    return true;
  }
  const Step& step = score_.steps[player.next];
  if (step.kind == StepKind::kAcquire) locks_.Forget(first, step.number);
  const bool waits_for_completion = step.kind == StepKind::kAwaitDisk;
  if (waits_for_completion) disks_.Forget(step.number);
  stage_.Wake(first);
  // A hand-over or request that is forced happens all the same.
  if (step.kind == StepKind::kHandOver) tokens_.ForceHandOver(step.number);
  if (!waits_for_completion) ++player.next;
  WakeReleased();
  return true;
}

}  // namespace gordian
