// SPDX-License-Identifier: Apache-2.0
// The time that each CPU spent in each softirq vector and hardirq per interval, as resource
// samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "bpf/events.h"
#include "recorder/attach/kernel_programs.h"
#include "schema/trace.pb.h"

namespace gordian {

// The part of a growing total that an interval is told, at most its length; `told` is the sum of
// all parts. Totals are read a little after the interval's end, and much later where the recorder
// had to wait for a CPU: what is beyond belongs to the next interval.
inline uint64_t TakeOfInterval(uint64_t total_ns, uint64_t interval_ns, uint64_t& told_ns) {
  const uint64_t part_ns = std::min(total_ns - std::min(told_ns, total_ns), interval_ns);
  told_ns += part_ns;
  return part_ns;
}

class IrqTotals {
 public:
  IrqTotals(const KernelPrograms& programs, uint64_t start_ns)
      : programs_(programs), last_ns_(start_ns) {}

  // Appends a sample per CPU and vector that ran since the last call.
  void Sample(uint64_t now_ns, pb::ResourceBlock& block);

 private:
  struct Source {
    uint32_t cpu;
    bool hard;
    uint32_t vector;
    bool operator<(const Source& other) const;
  };
  void Add(const Source& source, const gd_run_total& total, uint64_t now_ns,
           pb::ResourceBlock& block);

  const KernelPrograms& programs_;
  uint64_t last_ns_;
  std::map<Source, gd_run_total> last_;
};

}  // namespace gordian
