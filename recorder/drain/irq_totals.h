// The time that each CPU spent in each softirq vector and hardirq per interval, as resource
// samples.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "bpf/events.h"
#include "recorder/attach/kernel_programs.h"
#include "schema/trace.pb.h"

namespace gordian {

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
