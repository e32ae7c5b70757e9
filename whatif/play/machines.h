// SPDX-License-Identifier: Apache-2.0
// The CPUs of all nodes, numbered through. A thread only runs on those of its own node.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "whatif/play/cpu_queue.h"

namespace gordian {

class Machines {
 public:
  // By node.
  explicit Machines(std::span<const uint32_t> cpus) : queues_(Queues(cpus)) {
    for (uint32_t node = 0; node < cpus.size(); ++node)
      of_cpu_.insert(of_cpu_.end(), cpus[node], &queues_[node]);
  }
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  size_t cpus() const { return of_cpu_.size(); }
  CpuQueue& OfNode(uint32_t node) { return queues_[node]; }
  CpuQueue& OfCpu(uint32_t cpu) const { return *of_cpu_[cpu]; }

  // A thread may get a CPU there, or a CPU may have to be told to give way.
  void Unsettle(CpuQueue& queue) {
    if (queue.is_unsettled) return;
    queue.is_unsettled = true;
    unsettled_.push_back(&queue);
  }
  // Such a one; null if there is none.
  CpuQueue* Unsettled() const { return unsettled_.empty() ? nullptr : unsettled_.back(); }
  // … that has nothing left of both.
  void Settle() {
    unsettled_.back()->is_unsettled = false;
    unsettled_.pop_back();
  }

 private:
  static std::vector<CpuQueue> Queues(std::span<const uint32_t> cpus) {
    std::vector<CpuQueue> queues;
    uint32_t first = 0;
    for (const uint32_t count : cpus)
      queues.emplace_back(std::exchange(first, first + count), count);
    return queues;
  }

  std::vector<CpuQueue> queues_;  // by node
  std::vector<CpuQueue*> of_cpu_;
  std::vector<CpuQueue*> unsettled_;
};

}  // namespace gordian
