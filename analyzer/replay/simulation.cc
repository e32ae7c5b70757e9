#include "analyzer/replay/simulation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <utility>

#include "analyzer/replay/cpu_queue.h"
#include "analyzer/replay/disk_server.h"
#include "analyzer/replay/tokens.h"

namespace gordian {
namespace {

enum class At : uint8_t { kSteps, kReady, kRunning, kPausing, kBlocked, kWaking, kDone };

enum class EventKind : uint8_t { kRunEnd, kRunEndApart, kSlice, kPauseEnd, kAwake, kServed };

struct Event {
  uint64_t time_ns = 0;
  uint64_t order = 0;    // of equal times the first made comes first
  uint32_t number = 0;   // thread, CPU or request
  uint32_t version = 0;  // of the CPU: its run, its turn
  EventKind kind = EventKind::kRunEnd;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.order > b.order;
  }
};

struct Player {
  size_t next = 0;  // step
  size_t end = 0;
  uint64_t left_ns = 0;  // of the run at hand; 0: it has not begun
  uint64_t since_ns = 0;
  uint32_t cpu = kNoCpuIndex;
  At at = At::kSteps;
};

uint64_t Scaled(uint64_t duration_ns, double factor) {
  if (factor == 1) return duration_ns;
  return static_cast<uint64_t>(std::llround(static_cast<double>(duration_ns) * factor));
}

class Simulation {
 public:
  Simulation(const Score& score, const Variation& variation, uint32_t first_mark,
             uint32_t last_mark)
      : score_(score),
        variation_(variation),
        first_mark_(first_mark),
        last_mark_(last_mark),
        players_(score.threads()),
        run_end_ns_(variation.cpus),
        cpus_(variation.cpus),
        tokens_(score, variation),
        disks_(score, variation.service_factor) {
    outcome_.threads.resize(players_.size());
    for (EntityId thread = 0; thread < players_.size(); ++thread) {
      players_[thread].next = score.first_step[thread];
      players_[thread].end = score.first_step[thread + 1];
      going_.push_back(thread);
    }
  }

  Outcome Run() {
    while (marks_ <= last_mark_) {
      Settle();
      if (marks_ > last_mark_) break;
      if (events_.empty()) {
        if (!ForceOne()) break;
        continue;
      }
      const Event event = events_.top();
      events_.pop();
      now_ns_ = event.time_ns;
      Take(event);
    }
    outcome_.end_ns = now_ns_;
    outcome_.disk_busy_ns = disks_.BusyUntil(now_ns_);
    return std::move(outcome_);
  }

 private:
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
      Schedule(EventKind::kSlice, cpus_.GivesWayAt(cpu, now_ns_), cpu, cpus_.turn(cpu));
  }

  void Schedule(EventKind kind, uint64_t time_ns, uint32_t number, uint32_t version = 0) {
    events_.push({time_ns, order_++, number, version, kind});
  }

  void Take(const Event& event) {
    switch (event.kind) {
      case EventKind::kRunEnd:
        if (cpus_.run(event.number) == event.version) EndRun(cpus_.thread(event.number));
        return;
      case EventKind::kRunEndApart:
        CountRun(event.number);
        players_[event.number].left_ns = 0;
        ++players_[event.number].next;
        players_[event.number].at = At::kSteps;
        going_.push_back(event.number);
        return;
      case EventKind::kSlice:
        if (cpus_.turn(event.number) == event.version) GiveWay(event.number);
        return;
      case EventKind::kPauseEnd:
        Wake(event.number);
        return;
      case EventKind::kAwake:
        players_[event.number].at = At::kSteps;
        going_.push_back(event.number);
        return;
      case EventKind::kServed:
        for (const uint32_t begun : disks_.Complete(event.number, now_ns_))
          Schedule(EventKind::kServed, now_ns_ + disks_.ServiceOf(begun), begun);
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

  void Block(EntityId thread, At at) {
    Player& player = players_[thread];
    LeaveCpu(player);
    player.at = at;
    player.since_ns = now_ns_;
  }

  // What the thread waited for has happened. Its step is done, unless it only was not allowed yet.
  void Wake(EntityId thread) {
    Player& player = players_[thread];
    const Step& step = score_.steps[player.next];
    CountWait(thread, step);
    if (step.kind == StepKind::kPause || step.kind == StepKind::kAwaitDisk) ++player.next;
    player.at = At::kWaking;
    const uint64_t latency_ns = score_.wake_latency_ns[thread];
    outcome_.threads[thread].ready_ns += latency_ns;
    Schedule(EventKind::kAwake, now_ns_ + latency_ns, thread);
  }

  void CountWait(EntityId thread, const Step& step) {
    ThreadUse& use = outcome_.threads[thread];
    const uint64_t length_ns = now_ns_ - players_[thread].since_ns;
    switch (step.kind) {
      case StepKind::kPause:
        (step.by_timer ? use.sleep_ns : use.outside_ns) += length_ns;
        return;
      case StepKind::kAwaitDisk:
      case StepKind::kRequest:
        use.disk_ns += length_ns;
        return;
      default:
        use.await_ns += length_ns;
    }
  }

  // Goes through the steps of a thread until one takes time.
  void GoOn(EntityId thread) {
    Player& player = players_[thread];
    while (player.next < player.end) {
      if (!Do(thread, score_.steps[player.next])) return;
      ++player.next;
    }
    Block(thread, At::kDone);
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
        Block(thread, At::kBlocked);
        return ReleaseOthers() && false;
      case StepKind::kHandOver:
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
        Block(thread, At::kBlocked);
        return false;
      case StepKind::kMark:
        if (marks_ == first_mark_) outcome_.first_mark_ns = now_ns_;
        if (marks_ == last_mark_) outcome_.last_mark_ns = now_ns_;
        ++marks_;
        return true;
    }
    return true;
  }

  bool Run(EntityId thread, const Step& step) {
    Player& player = players_[thread];
    if (player.left_ns == 0) {
      const double factor = variation_.run_factor.empty() ? 1 : variation_.run_factor[thread];
      const double stretch = score_.stretch.empty() ? 1 : score_.stretch[thread];
      player.left_ns = Scaled(step.duration_ns, factor * stretch);
      if (player.left_ns == 0) return true;
    }
    if (score_.cpu_class[thread] == CpuClass::kApart) return RunApart(thread);
    if (player.cpu == kNoCpuIndex) {
      Queue(thread);
      return false;
    }
    player.at = At::kRunning;
    player.since_ns = now_ns_;
    run_end_ns_[player.cpu] = now_ns_ + player.left_ns;
    Schedule(EventKind::kRunEnd, now_ns_ + player.left_ns, player.cpu, cpus_.run(player.cpu));
    return false;
  }

  bool RunApart(EntityId thread) {
    Player& player = players_[thread];
    Block(thread, At::kPausing);
    Schedule(EventKind::kRunEndApart, now_ns_ + player.left_ns, thread);
    return false;
  }

  bool Pause(EntityId thread, const Step& step) {
    const bool keeps_pace = variation_.keeps_pace.empty() || variation_.keeps_pace[thread] != 0;
    double factor = step.by_timer || !keeps_pace ? 1 : variation_.outside_factor;
    if (step.by_timer && !variation_.sleep_factor.empty()) factor = variation_.sleep_factor[thread];
    if (!variation_.pause_factors.empty()) {
      for (const auto& [waits_for, its_factor] : variation_.pause_factors[thread]) {
        if (waits_for == step.number) factor *= its_factor;
      }
    }
    const uint64_t length_ns = Scaled(step.duration_ns, factor);
    if (length_ns == 0) return true;
    Block(thread, At::kPausing);
    Schedule(EventKind::kPauseEnd, now_ns_ + length_ns, thread);
    return false;
  }

  bool Request(EntityId thread, uint32_t request) {
    if (!disks_.MayAsk(request)) {
      disks_.StandInLine(thread, request);
      Block(thread, At::kBlocked);
      return false;
    }
    if (disks_.Ask(request, now_ns_))
      Schedule(EventKind::kServed, now_ns_ + disks_.ServiceOf(request), request);
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
    EntityId first = kNobody;
    for (EntityId thread = 0; thread < players_.size(); ++thread) {
      if (players_[thread].at != At::kBlocked) continue;
      if (first == kNobody || score_.steps[players_[thread].next].recorded_ns <
                                  score_.steps[players_[first].next].recorded_ns)
        first = thread;
    }
    if (first == kNobody) return false;
    ++outcome_.forced_steps;
    const Step& step = score_.steps[players_[first].next];
    tokens_.Forget(first);
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
  const uint32_t first_mark_, last_mark_;
  std::vector<Player> players_;
  std::vector<uint64_t> run_end_ns_;  // by CPU
  CpuQueue cpus_;
  Tokens tokens_;
  DiskServer disks_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::deque<EntityId> going_;
  uint64_t order_ = 0;
  uint64_t now_ns_ = 0;
  uint32_t marks_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome Simulate(const Score& score, const Variation& variation, uint32_t first_mark,
                 uint32_t last_mark) {
  return Simulation(score, variation, first_mark, last_mark).Run();
}

}  // namespace gordian
