// Turns the kernel side's counts of lost records into loss events, one per CPU, kind and drain that
// saw any.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bpf/events.h"
#include "trace/event_block.h"

namespace gordian {

class LossWatch {
 public:
  LossWatch(int cpus, uint64_t start_ns) : cpus_(cpus, Cpu{.checked_ns = start_ns}) {}

  // Appends the losses on `cpu` since the last check. The loss happened somewhere in between: the
  // interval says so.
  void Check(int cpu, const gd_cpu& counters, uint64_t now_ns, EventBlock& block);

  uint64_t total() const { return total_; }

 private:
  struct Cpu {
    uint64_t checked_ns = 0;
    std::array<uint64_t, GD_KINDS> lost{};
  };
  std::vector<Cpu> cpus_;
  uint64_t total_ = 0;
};

}  // namespace gordian
