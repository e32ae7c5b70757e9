// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/stage.h"

namespace gordian {

EntityId Stage::NextToGoOn() {
  if (!going_.empty()) {
    const EntityId thread = going_.front();
    going_.pop_front();
    return thread;
  }
  while (CpuQueue* const cpus = machines_.Unsettled()) {
    if (cpus->CanPlace()) {
      const auto [thread, cpu] = cpus->Place(now_ns_);
      CountReady(thread, now_ns_ - players_[thread].since_ns);
      players_[thread].cpu = cpu;
      return thread;
    }
    for (uint32_t cpu; (cpu = cpus->NextToGiveWay()) != kNoCpuIndex;)
      events_.Add(ReplayEventKind::kSlice, cpus->GivesWayAt(cpu, now_ns_), cpu, cpus->turn(cpu));
    machines_.Settle();
  }
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

void Stage::LeaveSeat(EntityId thread) {
  const EntityId next = seats_.Leave(thread).next;
  if (next != kNobody) GoOnInstead(players_[thread], next);
}

void Stage::GoOnInstead(Player& player, EntityId thread) {
  Player& next = players_[thread];
  CountReady(thread, now_ns_ - next.since_ns);
  next.cpu = std::exchange(player.cpu, kNoCpuIndex);
  if (next.cpu != kNoCpuIndex) machines_.OfCpu(next.cpu).PassOn(next.cpu, thread);
  LetGoOn(thread);
}

void Stage::LeaveCpu(Player& player) {
  if (player.cpu != kNoCpuIndex) {
    CpuQueue& cpus = machines_.OfCpu(player.cpu);
    cpus.Leave(player.cpu);
    machines_.Unsettle(cpus);
  }
  player.cpu = kNoCpuIndex;
}

void Stage::StandInLine(EntityId thread, bool at_front) {
  players_[thread].at = At::kReady;
  players_[thread].since_ns = now_ns_;
  CpuQueue& cpus = machines_.OfNode(score_.node[thread]);
  cpus.Queue(thread, score_.cpu_class[thread], at_front);
  machines_.Unsettle(cpus);
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
  Schedule(ReplayEventKind::kRunEnd, player.left_ns, player.cpu,
           machines_.OfCpu(player.cpu).run(player.cpu));
}

void Stage::EndRun(EntityId thread) {
  CountRun(thread);
  Player& player = players_[thread];
  player.left_ns = 0;
  ++player.next;
  if (player.cpu != kNoCpuIndex) machines_.OfCpu(player.cpu).EndRun(player.cpu);
  LetGoOn(thread);
}

void Stage::GiveWay(uint32_t cpu) {
  // Its run ends by itself, right now, or no thread waits any more.
  CpuQueue& cpus = machines_.OfCpu(cpu);
  if (run_end_ns_[cpu] <= now_ns_ || !cpus.AnybodyBefore(cpu)) {
    cpus.AskAgain(cpu);
    return machines_.Unsettle(cpus);
  }
  const EntityId thread = cpus.thread(cpu);
  CountRun(thread);
  Player& player = players_[thread];
  player.left_ns = run_end_ns_[cpu] - now_ns_;
  const bool had_its_slice = cpus.HadItsSlice(cpu, now_ns_);
  LeaveCpu(player);
  StandInLine(thread, !had_its_slice);
}

void Stage::Take(const ReplayEvent& event) {
  switch (event.kind) {
    case ReplayEventKind::kRunEnd:
      if (machines_.OfCpu(event.number).run(event.number) == event.version)
        EndRun(machines_.OfCpu(event.number).thread(event.number));
      return;
    case ReplayEventKind::kRunEndApart:
      return EndRun(event.number);
    case ReplayEventKind::kSlice:
      if (machines_.OfCpu(event.number).turn(event.number) == event.version) GiveWay(event.number);
      return;
    case ReplayEventKind::kPauseEnd:
      return Wake(event.number);
    case ReplayEventKind::kOnCpu:
      return LetGoOn(event.number);
    case ReplayEventKind::kServed:
    case ReplayEventKind::kArrived:
      return;  // of disks and messages (StepPlayer)
  }
}

}  // namespace gordian
