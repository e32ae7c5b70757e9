// CPUs and the queue before them. Threads and CPUs are numbers; who runs how long is the
// simulation's business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "analyzer/model.h"

namespace gordian {

inline constexpr uint32_t kNoCpuIndex = 0xffffffff;
// Whoever runs gives way to the queue after this time, a usual grain of schedulers.
inline constexpr uint64_t kSliceNs = 1'000'000;

class CpuQueue {
 public:
  explicit CpuQueue(uint32_t cpus) : cpus_(cpus) {
    for (uint32_t cpu = cpus; cpu > 0; --cpu) idle_.push_back(cpu - 1);
  }

  void Queue(EntityId thread) { queue_.push_back(thread); }
  bool anybody_waits() const { return !queue_.empty(); }

  bool CanPlace() const { return !queue_.empty() && !idle_.empty(); }
  // The first in the queue gets an idle CPU: a turn begins.
  std::pair<EntityId, uint32_t> Place(uint64_t now_ns) {
    const EntityId thread = queue_.front();
    const uint32_t cpu = idle_.back();
    queue_.pop_front();
    idle_.pop_back();
    cpus_[cpu].thread = thread;
    cpus_[cpu].since_ns = now_ns;
    ++cpus_[cpu].turn;
    PassByOldTurns();
    turns_.push_back({cpu, cpus_[cpu].turn});
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

  // While somebody waits for a CPU: the longest turn that has not been given here, or kNoCpuIndex.
  uint32_t NextToGiveWay() {
    if (queue_.empty()) return kNoCpuIndex;
    PassByOldTurns();
    if (turns_.empty()) return kNoCpuIndex;
    const uint32_t cpu = turns_.front().cpu;
    turns_.pop_front();
    return cpu;
  }
  // Nobody waited any more when it was to give way: it may be asked again.
  void AskAgain(uint32_t cpu) { turns_.push_front({cpu, cpus_[cpu].turn}); }
  uint64_t GivesWayAt(uint32_t cpu, uint64_t now_ns) const {
    return std::max(now_ns, cpus_[cpu].since_ns + kSliceNs);
  }

 private:
  struct Cpu {
    EntityId thread = kNobody;
    uint64_t since_ns = 0;
    uint32_t run = 0;
    uint32_t turn = 0;
  };
  struct Turn {
    uint32_t cpu;
    uint32_t turn;
  };
  void PassByOldTurns() {
    while (!turns_.empty() && cpus_[turns_.front().cpu].turn != turns_.front().turn)
      turns_.pop_front();
  }

  std::vector<Cpu> cpus_;
  std::vector<uint32_t> idle_;  // the last is given first
  std::deque<EntityId> queue_;
  std::deque<Turn> turns_;  // in order of their beginning; some are over
};

}  // namespace gordian
