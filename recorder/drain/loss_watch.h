// SPDX-License-Identifier: Apache-2.0
// Turns the counts of lost records into loss events, one per CPU, kind and drain that saw any: the
// kernel side's own counts, and the kernel's of programs that it left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bpf/events.h"
#include "recorder/attach/left_out.h"
#include "trace/event_block.h"

namespace gordian {

// Records taken from one ring, by kind.
using RecordCounts = std::array<uint64_t, GD_KINDS>;

class LossWatch {
 public:
  LossWatch(int cpus, uint64_t start_ns)
      : cpus_(cpus, Seen{.checked_ns = start_ns}), programs_{.checked_ns = start_ns} {}

  // Appends the losses on `cpu` since the last check. The loss happened somewhere in between: the
  // interval says so.
  void Check(int cpu, const gd_cpu& counters, uint64_t now_ns, EventBlock& block);

  // The same for programs that were left out. The kernel does not tell on which CPU: `block` is of
  // none.
  void CheckPrograms(const std::vector<LeftOut>& left_out, uint64_t now_ns, EventBlock& block);

  // Once, after the last Check, when no program runs any more and the ring was drained: a record
  // that was begun but never finished, and those behind it, are lost.
  void CheckEnd(int cpu, const gd_cpu& counters, const RecordCounts& taken, uint64_t now_ns,
                EventBlock& block);

  uint64_t total() const { return total_; }
  uint64_t unfinished() const { return unfinished_; }  // of these, as CheckEnd found

 private:
  struct Seen {
    uint64_t checked_ns = 0;
    RecordCounts lost{};
  };
  void Tell(int kind, uint64_t lost, uint64_t now_ns, uint16_t cpu, Seen& seen, EventBlock& block);

  std::vector<Seen> cpus_;
  Seen programs_;
  uint64_t unfinished_ = 0;
  uint64_t total_ = 0;
};

}  // namespace gordian
