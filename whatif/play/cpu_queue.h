// SPDX-License-Identifier: Apache-2.0
// The CPUs of a node and the queues before them. Threads and CPUs are numbers; the simulation
// decides how long a thread runs.
//
// A thread of an earlier class takes a CPU from those of later ones at once. The classes: kernel
// threads that got CPUs at once in the recording, and threads that only see to another's disk
// operations; prompt threads, which also got CPUs at once (they have priority, or mostly sleep);
// ordinary threads; then threads that only get the time left over. Among alike threads, the one
// that has run for a slice gives way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "whatif/play/thresholds.h"
#include "whatif/score/score.h"

namespace gordian {

inline constexpr uint32_t kNoCpuIndex = 0xffffffff;

class CpuQueue {
 public:
  // Its CPUs are numbered from `first` on.
  CpuQueue(uint32_t first, uint32_t cpus) : first_(first), cpus_(cpus) {
    for (uint32_t cpu = cpus; cpu > 0; --cpu) idle_.push_back(first + cpu - 1);
  }

  bool is_unsettled = false;  // see Machines

  void Queue(EntityId thread, CpuClass of_class, bool at_front) {
    std::deque<EntityId>& queue = queues_[static_cast<size_t>(of_class)];
    if (at_front) {
      queue.push_front(thread);
    } else {
      queue.push_back(thread);
    }
  }

  bool CanPlace() const { return FirstWaiting() < kCpuClasses && !idle_.empty(); }
  // The first in the queue gets an idle CPU: a turn begins.
  std::pair<EntityId, uint32_t> Place(uint64_t now_ns) {
    const size_t kind = FirstWaiting();
    const EntityId thread = queues_[kind].front();
    const uint32_t cpu = idle_.back();
    queues_[kind].pop_front();
    idle_.pop_back();
    At(cpu).thread = thread;
    At(cpu).kind = kind;
    At(cpu).since_ns = now_ns;
    ++At(cpu).turn;
    for (std::deque<Turn>* turns : {&turns_[kind], &yielding_turns_[kind]}) {
      PassByOldTurns(*turns);
      turns->push_back({cpu, At(cpu).turn});
    }
    At(cpu).asked_by_its_like = At(cpu).asked_by_earlier = false;
    return {thread, cpu};
  }
  void Leave(uint32_t cpu) {
    EndRun(cpu);
    ++At(cpu).turn;
    idle_.push_back(cpu);
  }
  // Another one goes on in its turn.
  void PassOn(uint32_t cpu, EntityId thread) {
    EndRun(cpu);
    At(cpu).thread = thread;
  }
  void EndRun(uint32_t cpu) { ++At(cpu).run; }

  EntityId thread(uint32_t cpu) const { return At(cpu).thread; }
  // Events of an earlier run (turn) of that CPU are void.
  uint32_t run(uint32_t cpu) const { return At(cpu).run; }
  uint32_t turn(uint32_t cpu) const { return At(cpu).turn; }

  // A CPU whose turn must end for a thread that waits, longest turn of the last class first, that
  // has not been told so; or kNoCpuIndex.
  uint32_t NextToGiveWay() {
    const size_t waiting = FirstWaiting();
    if (waiting == kCpuClasses) return kNoCpuIndex;
    for (size_t kind = kCpuClasses - 1; kind > waiting; --kind) {
      const uint32_t cpu = TakeTurn(yielding_turns_[kind]);
      if (cpu == kNoCpuIndex) continue;
      At(cpu).asked_by_earlier = true;
      return cpu;
    }
    const uint32_t cpu = TakeTurn(turns_[waiting]);
    if (cpu != kNoCpuIndex) At(cpu).asked_by_its_like = true;
    return cpu;
  }
  // The thread for which it was to give way waits no more: it may be asked again.
  void AskAgain(uint32_t cpu) {
    const Turn turn = {cpu, At(cpu).turn};
    const size_t kind = At(cpu).kind;
    if (std::exchange(At(cpu).asked_by_its_like, false)) turns_[kind].push_front(turn);
    if (std::exchange(At(cpu).asked_by_earlier, false)) yielding_turns_[kind].push_front(turn);
  }
  uint64_t GivesWayAt(uint32_t cpu, uint64_t now_ns) const {
    const bool at_once = FirstWaiting() < At(cpu).kind;
    return at_once ? now_ns : std::max(now_ns, At(cpu).since_ns + kSliceNs);
  }
  bool HadItsSlice(uint32_t cpu, uint64_t now_ns) const {
    return now_ns >= At(cpu).since_ns + kSliceNs;
  }
  // Whether a waiting thread comes before the one on the CPU, or is of its class.
  bool AnybodyBefore(uint32_t cpu) const { return FirstWaiting() <= At(cpu).kind; }

 private:
  struct Cpu {
    EntityId thread = kNobody;
    size_t kind = 0;
    uint64_t since_ns = 0;
    uint32_t run = 0;
    uint32_t turn = 0;
    bool asked_by_its_like = false;  // to give way, in this turn
    bool asked_by_earlier = false;
  };
  struct Turn {
    uint32_t cpu;
    uint32_t turn;
  };
  // kCpuClasses if no thread waits.
  size_t FirstWaiting() const {
    size_t kind = 0;
    while (kind < kCpuClasses && queues_[kind].empty()) ++kind;
    return kind;
  }
  void PassByOldTurns(std::deque<Turn>& turns) {
    while (!turns.empty() && At(turns.front().cpu).turn != turns.front().turn) turns.pop_front();
  }

  uint32_t TakeTurn(std::deque<Turn>& turns) {
    PassByOldTurns(turns);
    if (turns.empty()) return kNoCpuIndex;
    const uint32_t cpu = turns.front().cpu;
    turns.pop_front();
    return cpu;
  }

  Cpu& At(uint32_t cpu) { return cpus_[cpu - first_]; }
  const Cpu& At(uint32_t cpu) const { return cpus_[cpu - first_]; }

  uint32_t first_;
  std::vector<Cpu> cpus_;
  std::vector<uint32_t> idle_;  // the last is given first
  std::array<std::deque<EntityId>, kCpuClasses> queues_;
  // In order of their beginning; some are over. Turns that give way to their own class, and turns
  // that give way to earlier classes.
  std::array<std::deque<Turn>, kCpuClasses> turns_;
  std::array<std::deque<Turn>, kCpuClasses> yielding_turns_;
};

}  // namespace gordian
