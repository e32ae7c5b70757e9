// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/stage.h"

namespace gordian {

EntityId Stage::NextToGoOn() {
  if (!going_.empty()) {
    const EntityId thread = going_.front();
    going_.pop_front();
    return thread;
  }
  if (cpus_.CanPlace()) {
    const auto [thread, cpu] = cpus_.Place(now_ns_);
    CountReady(thread, now_ns_ - players_[thread].since_ns);
    players_[thread].cpu = cpu;
    return thread;
  }
  for (uint32_t cpu; (cpu = cpus_.NextToGiveWay()) != kNoCpuIndex;)
    events_.Add(ReplayEventKind::kSlice, cpus_.GivesWayAt(cpu, now_ns_), cpu, cpus_.turn(cpu));
  return kNobody;
}

void Stage::Wake(EntityId thread) {
  Player& player = players_[thread];
  const Step& step = score_.steps[player.next];
  AddWait(step, now_ns_ - player.since_ns, uses_[thread]);
  if (step.kind == StepKind::kPause || step.kind == StepKind::kAwaitDisk) ++player.next;
  player.waited = true;
  LetGoOn(thread);
}

void Stage::Block(EntityId thread, At at, bool keeps_seat) {
  Player& player = players_[thread];
  player.at = at;
  player.since_ns = now_ns_;
  const Seats::Left left = keeps_seat ? Seats::Left{} : seats_.Leave(thread);
  if (left.had_it && left.next == kNobody) ++uses_[thread].sleeps;
  if (left.next == kNobody) {
    LeaveCpu(player);
  } else {
    GoOnInstead(player, left.next);
  }
}

void Stage::GoOnInstead(Player& player, EntityId thread) {
  Player& next = players_[thread];
  CountReady(thread, now_ns_ - next.since_ns);
  next.cpu = std::exchange(player.cpu, kNoCpuIndex);
  if (next.cpu != kNoCpuIndex) cpus_.PassOn(next.cpu, thread);
  LetGoOn(thread);
}

void Stage::LeaveCpu(Player& player) {
  if (player.cpu != kNoCpuIndex) cpus_.Leave(player.cpu);
  player.cpu = kNoCpuIndex;
}

void Stage::StandInLine(EntityId thread, bool at_front) {
  players_[thread].at = At::kReady;
  players_[thread].since_ns = now_ns_;
  cpus_.Queue(thread, score_.cpu_class[thread], at_front);
}

void Stage::Run(EntityId thread) {
  Player& player = players_[thread];
  if (!seats_.Take(thread)) {
    player.at = At::kReady;
    player.since_ns = now_ns_;
    return;
  }
  if (score_.cpu_class[thread] == CpuClass::kApart) {
    Block(thread, At::kPausing, /*keeps_seat=*/true);
    Schedule(ReplayEventKind::kRunEndApart, player.left_ns, thread);
    return;
  }
  if (player.cpu == kNoCpuIndex) return StandInLine(thread);
  player.at = At::kRunning;
  player.waited = false;
  player.since_ns = now_ns_;
  run_end_ns_[player.cpu] = now_ns_ + player.left_ns;
  Schedule(ReplayEventKind::kRunEnd, player.left_ns, player.cpu, cpus_.run(player.cpu));
}

void Stage::EndRun(EntityId thread) {
  CountRun(thread);
  Player& player = players_[thread];
  player.left_ns = 0;
  ++player.next;
  if (player.cpu != kNoCpuIndex) cpus_.EndRun(player.cpu);
  LetGoOn(thread);
}

void Stage::GiveWay(uint32_t cpu) {
  // Its run ends by itself, right now, or no thread waits any more.
  if (run_end_ns_[cpu] <= now_ns_ || !cpus_.AnybodyBefore(cpu)) return cpus_.AskAgain(cpu);
  const EntityId thread = cpus_.thread(cpu);
  CountRun(thread);
  Player& player = players_[thread];
  player.left_ns = run_end_ns_[cpu] - now_ns_;
  const bool had_its_slice = cpus_.HadItsSlice(cpu, now_ns_);
  LeaveCpu(player);
  StandInLine(thread, !had_its_slice);
}

void Stage::Take(const ReplayEvent& event) {
  switch (event.kind) {
    case ReplayEventKind::kRunEnd:
      if (cpus_.run(event.number) == event.version) EndRun(cpus_.thread(event.number));
      return;
    case ReplayEventKind::kRunEndApart:
      return EndRun(event.number);
    case ReplayEventKind::kSlice:
      if (cpus_.turn(event.number) == event.version) GiveWay(event.number);
      return;
    case ReplayEventKind::kPauseEnd:
      return Wake(event.number);
    case ReplayEventKind::kOnCpu:
      return LetGoOn(event.number);
    case ReplayEventKind::kServed:
      return;  // of a disk (StepPlayer)
  }
}

}  // namespace gordian
