#include "whatif/simulation.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "whatif/cpu_queue.h"
#include "whatif/disk_server.h"
#include "whatif/event_queue.h"
#include "whatif/lock_ways.h"
#include "whatif/piece_takers.h"
#include "whatif/players.h"
#include "whatif/seats.h"
#include "whatif/step_times.h"
#include "whatif/tokens.h"
#include "whatif/work_left.h"

namespace gordian {
namespace {

// At one instant.
constexpr uint64_t kMostEventsOfAStep = 4, kFewSteps = 1024;

class Simulation {
 public:
  Simulation(const Score& score, const Variation& variation, uint32_t first_mark,
             uint32_t last_mark)
      : score_(score),
        variation_(variation),
        marks_(score, first_mark, last_mark),
        players_(score.threads()),
        run_end_ns_(variation.cpus),
        cpus_(variation.cpus),
        tokens_(score, variation),
        locks_(score),
        pieces_(score),
        seats_(score),
        work_left_(score, variation.kind),
        disks_(score, variation.service_factor) {
    outcome_.threads.resize(players_.size());
    for (EntityId thread = 0; thread < players_.size(); ++thread) {
      players_[thread].next = score.first_step[thread];
      players_[thread].end = score.first_step[thread + 1];
      going_.push_back(thread);
    }
    for (const Pool& pool : score.pools) {
      for (const EntityId thread : pool.threads) players_[thread].next = players_[thread].end = 0;
    }
  }

  Outcome Run() {
    while (!marks_.done()) {
      Settle();
      if (marks_.done()) break;
      if (events_.empty()) {
        if (!ForceOne()) break;
        continue;
      }
      const ReplayEvent event = events_.TakeFirst();
      if (!Advances(event.time_ns)) break;
      now_ns_ = event.time_ns;
      Take(event);
    }
    outcome_.end_ns = now_ns_;
    outcome_.disk_busy_ns = disks_.BusyUntil(now_ns_);
    return std::move(outcome_);
  }

 private:
  // False where events follow each other without end at one instant, of which each step has but a
  // few: a fault in here, which must not become an analysis that never ends. Counted as if all
  // steps had been forced, so that nothing is predicted.
  bool Advances(uint64_t time_ns) {
    at_this_instant_ = time_ns == now_ns_ ? at_this_instant_ + 1 : 0;
    if (at_this_instant_ <= kMostEventsOfAStep * (score_.steps.size() + kFewSteps)) return true;
    outcome_.forced_steps = score_.steps.size();
    return false;
  }

  // Until every thread that can go on at this moment has done so.
  void Settle() {
    while (!going_.empty() || cpus_.CanPlace()) {
      if (!going_.empty()) {
        const EntityId thread = going_.front();
        going_.pop_front();
        GoOn(thread);
      } else {
        const auto [thread, cpu] = cpus_.Place(now_ns_);
        Player& player = players_[thread];
        outcome_.threads[thread].ready_ns += now_ns_ - player.since_ns;
        player.cpu = cpu;
        GoOn(thread);
      }
    }
    for (uint32_t cpu; (cpu = cpus_.NextToGiveWay()) != kNoCpuIndex;)
      Schedule(ReplayEventKind::kSlice, cpus_.GivesWayAt(cpu, now_ns_), cpu, cpus_.turn(cpu));
  }

  void Schedule(ReplayEventKind kind, uint64_t time_ns, uint32_t number, uint32_t version = 0) {
    events_.Add(kind, time_ns, number, version);
  }

  void Take(const ReplayEvent& event) {
    switch (event.kind) {
      case ReplayEventKind::kRunEnd:
        if (cpus_.run(event.number) == event.version) EndRun(cpus_.thread(event.number));
        return;
      case ReplayEventKind::kRunEndApart:
        CountRun(event.number);
        players_[event.number].left_ns = 0;
        ++players_[event.number].next;
        players_[event.number].at = At::kSteps;
        going_.push_back(event.number);
        return;
      case ReplayEventKind::kSlice:
        if (cpus_.turn(event.number) == event.version) GiveWay(event.number);
        return;
      case ReplayEventKind::kPauseEnd:
        Wake(event.number);
        return;
      case ReplayEventKind::kOnCpu:
        players_[event.number].at = At::kSteps;
        going_.push_back(event.number);
        return;
      case ReplayEventKind::kServed:
        for (const uint32_t begun : disks_.Complete(event.number, now_ns_))
          Schedule(ReplayEventKind::kServed, now_ns_ + disks_.ServiceOf(begun), begun);
        for (const EntityId thread : disks_.TakeReleased()) Wake(thread);
        return;
    }
  }

  // `thread` stops running, for whatever reason, and what it ran is counted.
  void CountRun(EntityId thread) {
    Player& player = players_[thread];
    outcome_.threads[thread].run_ns += now_ns_ - player.since_ns;
    player.since_ns = now_ns_;
  }

  void EndRun(EntityId thread) {
    CountRun(thread);
    Player& player = players_[thread];
    player.left_ns = 0;
    ++player.next;
    player.at = At::kSteps;
    cpus_.EndRun(player.cpu);
    going_.push_back(thread);
  }

  void GiveWay(uint32_t cpu) {
    // Its run ends by itself, right now, or nobody waits any more.
    if (run_end_ns_[cpu] <= now_ns_ || !cpus_.AnybodyBefore(cpu)) return cpus_.AskAgain(cpu);
    const EntityId thread = cpus_.thread(cpu);
    CountRun(thread);
    Player& player = players_[thread];
    player.left_ns = run_end_ns_[cpu] - now_ns_;
    const bool had_its_slice = cpus_.HadItsSlice(cpu, now_ns_);
    LeaveCpu(player);
    Queue(thread, !had_its_slice);
  }

  void LeaveCpu(Player& player) {
    if (player.cpu != kNoCpuIndex) cpus_.Leave(player.cpu);
    player.cpu = kNoCpuIndex;
  }

  void Queue(EntityId thread, bool at_front = false) {
    players_[thread].at = At::kReady;
    players_[thread].since_ns = now_ns_;
    cpus_.Queue(thread, score_.cpu_class[thread], at_front);
  }

  // It does not run. Whoever else has its seat then goes on in its place.
  void Block(EntityId thread, At at, bool keeps_seat = false) {
    Player& player = players_[thread];
    player.at = at;
    player.since_ns = now_ns_;
    const Seats::Left left = keeps_seat ? Seats::Left{} : seats_.Leave(thread);
    if (left.had_it && left.next == kNobody) ++outcome_.threads[thread].sleeps;
    if (left.next == kNobody) {
      LeaveCpu(player);
    } else {
      GoOnInstead(player, left.next);
    }
    if (keeps_seat || left.next == kNobody || left.batch_over) HandOverHeldBack(thread);
  }

  void GoOnInstead(Player& player, EntityId thread) {
    Player& next = players_[thread];
    outcome_.threads[thread].ready_ns += now_ns_ - next.since_ns;
    next.cpu = std::exchange(player.cpu, kNoCpuIndex);
    if (next.cpu != kNoCpuIndex) cpus_.PassOn(next.cpu, thread);
    next.at = At::kSteps;
    going_.push_back(thread);
  }

  void HandOverHeldBack(EntityId thread) {
    if (!variation_.in_batches) return;
    for (const uint32_t hand_over : std::exchange(seats_.HeldBack(thread), {}))
      tokens_.ForceHandOver(hand_over);
    ReleaseOthers();
  }

  // What the thread waited for has happened. Its step is done, unless it only was not allowed yet.
  void Wake(EntityId thread) {
    Player& player = players_[thread];
    const Step& step = score_.steps[player.next];
    AddWait(step, now_ns_ - player.since_ns, outcome_.threads[thread]);
    if (step.kind == StepKind::kPause || step.kind == StepKind::kAwaitDisk) ++player.next;
    player.waited = true;
    player.at = At::kSteps;
    going_.push_back(thread);
  }

  // Goes through the steps of a thread until one takes time.
  void GoOn(EntityId thread) {
    Player& player = players_[thread];
    do {
      if (!IsPieceAskedFor(thread)) return;
      while (player.next < player.end) {
        if (!Do(thread, score_.steps[player.next])) return;
        ++player.next;
      }
    } while (TakePiece(thread) || TakeOver(thread));
    Block(thread, At::kDone);
  }

  bool TakePiece(EntityId thread) {
    const Pool::Piece* piece = pieces_.Take(thread);
    if (piece == nullptr) return false;
    Player& player = players_[thread];
    player.next = piece->begin;
    player.end = piece->end;
    player.asked = piece->asked;
    return true;
  }
  // Part of what is left to the one of its kind that has most left.
  bool TakeOver(EntityId thread) {
    const WorkLeft::Share share = work_left_.MostOf(thread, players_);
    if (share.from == kNobody) return false;
    players_[share.from].end = share.steps.begin;
    players_[thread].next = share.steps.begin;
    players_[thread].end = share.steps.end;
    return true;
  }
  bool IsPieceAskedFor(EntityId thread) {
    Player& player = players_[thread];
    if (player.asked == kNoHandOver) return true;
    if (!tokens_.IsAskedFor(thread, player.asked)) {
      Block(thread, At::kBlocked);
      return false;
    }
    player.asked = kNoHandOver;
    return true;
  }

  // False if the step is not over yet; then somebody will call for the thread.
  bool Do(EntityId thread, const Step& step) {
    switch (step.kind) {
      case StepKind::kRun:
        return Run(thread, step);
      case StepKind::kPause:
        return Pause(thread, step);
      case StepKind::kAwait:
        if (tokens_.Await(thread, step.number)) return ReleaseOthers();
        Block(thread, At::kBlocked, step.keeps_seat);
        return ReleaseOthers() && false;
      case StepKind::kHandOver:
        if (variation_.in_batches && seats_.OthersWait(thread)) {
          seats_.HeldBack(thread).push_back(step.number);
          return true;
        }
        if (tokens_.HandOver(thread, step.number)) return ReleaseOthers();
        Block(thread, At::kBlocked);
        return false;
      case StepKind::kRequest:
        return Request(thread, step.number);
      case StepKind::kAwaitDisk:
        if (disks_.IsComplete(step.number)) return true;
        if (variation_.DropsDisk(thread, score_.requests[step.number].disk, score_.disks.size()))
          return true;
        disks_.Await(thread, step.number);
        Block(thread, At::kBlocked, step.keeps_seat);
        return false;
      case StepKind::kMark:
        marks_.Count(thread, now_ns_, outcome_);
        return true;
      case StepKind::kOffCpu:
        return OffCpu(thread, step);
      case StepKind::kAcquire:
        if (locks_.Acquire(thread, step.number)) return true;
        Block(thread, At::kBlocked);
        return false;
      case StepKind::kRelease:
        return Release(thread, step.number);
    }
    return true;
  }

  bool Release(EntityId thread, uint32_t lock) {
    const LockWays::Released released = locks_.Release(thread, lock);
    for (const EntityId served : released.served) {
      Wake(served);
      SkipHold(served, lock);
    }
    if (released.next != kNobody) {
      Wake(released.next);
      ++players_[released.next].next;
    }
    return true;
  }

  // To behind its release of the lock. What others would wait for happens now.
  void SkipHold(EntityId thread, uint32_t lock) {
    Player& player = players_[thread];
    for (bool released = false; !released && player.next < player.end; ++player.next) {
      const Step& step = score_.steps[player.next];
      if (step.kind == StepKind::kAwait) tokens_.SkipAwait(step.number);
      if (step.kind == StepKind::kHandOver) tokens_.ForceHandOver(step.number);
      if (step.kind == StepKind::kRequest) disks_.Skip(step.number);
      if (step.kind == StepKind::kMark) marks_.Count(thread, now_ns_, outcome_);
      released = step.kind == StepKind::kRelease && step.number == lock;
    }
    ReleaseOthers();
    for (const EntityId waiter : disks_.TakeReleased()) Wake(waiter);
  }

  bool OffCpu(EntityId thread, const Step& step) {
    // Who did not wait needs not be woken, nor who does something else meanwhile.
    if (step.after_wait &&
        (!std::exchange(players_[thread].waited, false) || seats_.IsTakenByAnother(thread)))
      return true;
    const uint64_t length_ns = step.duration_ns + (score_.others_apart ? step.number : 0);
    if (length_ns == 0) return true;
    outcome_.threads[thread].ready_ns += length_ns;
    ++players_[thread].next;
    Block(thread, At::kPausing, !step.after_wait);
    Schedule(ReplayEventKind::kOnCpu, now_ns_ + length_ns, thread);
    return false;
  }

  bool Run(EntityId thread, const Step& step) {
    Player& player = players_[thread];
    if (player.left_ns == 0) {
      player.left_ns = RunNs(variation_, thread, step);
      if (player.left_ns == 0) return true;
    }
    if (!seats_.Take(thread)) {
      player.at = At::kReady;
      player.since_ns = now_ns_;
      return false;
    }
    if (score_.cpu_class[thread] == CpuClass::kApart) return RunApart(thread);
    if (player.cpu == kNoCpuIndex) {
      Queue(thread);
      return false;
    }
    player.at = At::kRunning;
    player.waited = false;
    player.since_ns = now_ns_;
    run_end_ns_[player.cpu] = now_ns_ + player.left_ns;
    Schedule(ReplayEventKind::kRunEnd, now_ns_ + player.left_ns, player.cpu, cpus_.run(player.cpu));
    return false;
  }

  bool RunApart(EntityId thread) {
    Player& player = players_[thread];
    Block(thread, At::kPausing, /*keeps_seat=*/true);
    Schedule(ReplayEventKind::kRunEndApart, now_ns_ + player.left_ns, thread);
    return false;
  }

  bool Pause(EntityId thread, const Step& step) {
    const uint64_t length_ns = PauseNs(variation_, thread, step);
    if (length_ns == 0) return true;
    Block(thread, At::kPausing, step.keeps_seat);
    Schedule(ReplayEventKind::kPauseEnd, now_ns_ + length_ns, thread);
    return false;
  }

  bool Request(EntityId thread, uint32_t request) {
    if (variation_.AsksNoMore(thread, score_.requests[request].disk, score_.disks.size())) {
      disks_.Skip(request);
    } else if (!disks_.MayAsk(request)) {
      disks_.StandInLine(thread, request);
      Block(thread, At::kBlocked);
      return false;
    } else if (disks_.Ask(request, now_ns_)) {
      Schedule(ReplayEventKind::kServed, now_ns_ + disks_.ServiceOf(request), request);
    }
    for (const EntityId waiter : disks_.TakeReleased()) Wake(waiter);
    return true;
  }

  bool ReleaseOthers() {
    for (const Tokens::Release& release : tokens_.TakeReleased()) {
      Wake(release.thread);
      if (release.step_done) ++players_[release.thread].next;
    }
    return true;
  }

  bool ForceOne() {
    const EntityId first = FirstBlocked(score_, players_);
    if (first == kNobody) return false;
    ++outcome_.forced_steps;
    tokens_.Forget(first);
    if (std::exchange(players_[first].asked, kNoHandOver) != kNoHandOver) {
      Wake(first);
      return true;
    }
    const Step& step = score_.steps[players_[first].next];
    if (step.kind == StepKind::kRequest) disks_.LeaveLine(first, step.number);
    if (step.kind == StepKind::kAcquire) locks_.Forget(first, step.number);
    const bool waits_for_completion = step.kind == StepKind::kAwaitDisk;
    if (waits_for_completion) disks_.Forget(step.number);
    Wake(first);
    // A hand-over or request that is forced happens all the same.
    if (step.kind == StepKind::kHandOver) tokens_.ForceHandOver(step.number);
    if (!waits_for_completion) ++players_[first].next;
    ReleaseOthers();
    return true;
  }

  const Score& score_;
  const Variation& variation_;
  MarkTimes marks_;
  std::vector<Player> players_;
  std::vector<uint64_t> run_end_ns_;  // by CPU
  CpuQueue cpus_;
  Tokens tokens_;
  LockWays locks_;
  PieceTakers pieces_;
  Seats seats_;
  WorkLeft work_left_;
  DiskServer disks_;
  ReplayEvents events_;
  std::deque<EntityId> going_;
  uint64_t now_ns_ = 0;
  uint64_t at_this_instant_ = 0;  // events so far
  Outcome outcome_;
};

}  // namespace

Outcome Simulate(const Score& score, const Variation& variation, uint32_t first_mark,
                 uint32_t last_mark) {
  return Simulation(score, variation, first_mark, last_mark).Run();
}

}  // namespace gordian
