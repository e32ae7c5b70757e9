// CPUs and the queues before them. Threads and CPUs are numbers; who runs how long is the
// simulation's business.
//
// Prompt threads, who got CPUs at once in the recording (as they have priority, or mostly sleep),
// take them from the others at once. Among alike, whoever has run for a slice gives way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "analyzer/model.h"

namespace gordian {

inline constexpr uint32_t kNoCpuIndex = 0xffffffff;
inline constexpr uint64_t kSliceNs = 1'000'000;  // a usual grain of schedulers

class CpuQueue {
 public:
  explicit CpuQueue(uint32_t cpus) : cpus_(cpus) {
    for (uint32_t cpu = cpus; cpu > 0; --cpu) idle_.push_back(cpu - 1);
  }

  void Queue(EntityId thread, bool prompt, bool at_front) {
    std::deque<EntityId>& queue = queues_[prompt ? 0 : 1];
    if (at_front) {
      queue.push_front(thread);
    } else {
      queue.push_back(thread);
    }
  }

  bool CanPlace() const { return (!queues_[0].empty() || !queues_[1].empty()) && !idle_.empty(); }
  // The first in the queue gets an idle CPU: a turn begins.
  std::pair<EntityId, uint32_t> Place(uint64_t now_ns) {
    const size_t kind = queues_[0].empty() ? 1 : 0;
    const EntityId thread = queues_[kind].front();
    const uint32_t cpu = idle_.back();
    queues_[kind].pop_front();
    idle_.pop_back();
    cpus_[cpu].thread = thread;
    cpus_[cpu].kind = kind;
    cpus_[cpu].since_ns = now_ns;
    ++cpus_[cpu].turn;
    PassByOldTurns(turns_[kind]);
    if (kind == 1) {
      PassByOldTurns(yielding_turns_);
      yielding_turns_.push_back({cpu, cpus_[cpu].turn});
    }
    turns_[kind].push_back({cpu, cpus_[cpu].turn});
    return {thread, cpu};
  }
  void Leave(uint32_t cpu) {
    EndRun(cpu);
    ++cpus_[cpu].turn;
    idle_.push_back(cpu);
  }
  void EndRun(uint32_t cpu) { ++cpus_[cpu].run; }

  EntityId thread(uint32_t cpu) const { return cpus_[cpu].thread; }
  // Events of an earlier run (turn) of that CPU are void.
  uint32_t run(uint32_t cpu) const { return cpus_[cpu].run; }
  uint32_t turn(uint32_t cpu) const { return cpus_[cpu].turn; }

  // A CPU whose turn must end for somebody who waits, longest turn first, that has not been told
  // so; or kNoCpuIndex.
  uint32_t NextToGiveWay() {
    if (!queues_[0].empty()) {
      const uint32_t cpu = TakeTurn(yielding_turns_);
      return cpu != kNoCpuIndex ? cpu : TakeTurn(turns_[0]);
    }
    return queues_[1].empty() ? kNoCpuIndex : TakeTurn(turns_[1]);
  }
  // Nobody waits any more for whom it was to give way: it may be asked again.
  void AskAgain(uint32_t cpu) {
    turns_[cpus_[cpu].kind].push_front({cpu, cpus_[cpu].turn});
    if (cpus_[cpu].kind == 1) yielding_turns_.push_front({cpu, cpus_[cpu].turn});
  }
  uint64_t GivesWayAt(uint32_t cpu, uint64_t now_ns) const {
    const bool at_once = cpus_[cpu].kind == 1 && !queues_[0].empty();
    return at_once ? now_ns : std::max(now_ns, cpus_[cpu].since_ns + kSliceNs);
  }
  bool HadItsSlice(uint32_t cpu, uint64_t now_ns) const {
    return now_ns >= cpus_[cpu].since_ns + kSliceNs;
  }
  // Whether somebody waits who comes before the one who is there, or is alike.
  bool AnybodyBefore(uint32_t cpu) const {
    return !queues_[0].empty() || (cpus_[cpu].kind == 1 && !queues_[1].empty());
  }

 private:
  struct Cpu {
    EntityId thread = kNobody;
    size_t kind = 0;
    uint64_t since_ns = 0;
    uint32_t run = 0;
    uint32_t turn = 0;
  };
  struct Turn {
    uint32_t cpu;
    uint32_t turn;
  };
  void PassByOldTurns(std::deque<Turn>& turns) {
    while (!turns.empty() && cpus_[turns.front().cpu].turn != turns.front().turn) turns.pop_front();
  }

  uint32_t TakeTurn(std::deque<Turn>& turns) {
    PassByOldTurns(turns);
    if (turns.empty()) return kNoCpuIndex;
    const uint32_t cpu = turns.front().cpu;
    turns.pop_front();
    return cpu;
  }

  std::vector<Cpu> cpus_;
  std::vector<uint32_t> idle_;  // the last is given first
  // Of both: [0] prompt threads, [1] the others.
  std::array<std::deque<EntityId>, 2> queues_;
  std::array<std::deque<Turn>, 2> turns_;  // in order of their beginning; some are over
  std::deque<Turn> yielding_turns_;        // of the others, who give way to prompt ones
};

}  // namespace gordian
