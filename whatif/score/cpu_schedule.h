// SPDX-License-Identifier: Apache-2.0
// Which thread was on which CPU when, and so what kept a ready thread from running.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// Memory: 24 bytes for each run of a thread, while it lives.
class CpuSchedule {
 public:
  // `is_other`, by thread: of another program.
  CpuSchedule(const Timeline& timeline, std::span<const uint8_t> is_other);

  // Parts of a time in which a thread was ready to run and then ran on that node's `cpu`. In the
  // rest of it its own program or the kernel's threads had the CPUs: a queue.
  struct Readiness {
    uint64_t unneeded_ns = 0;  // a CPU of its node was idle: the time to wake or to move a thread
    uint64_t others_ns = 0;    // other programs had that CPU
  };
  Readiness Between(uint32_t node, uint32_t cpu, uint64_t from_ns, uint64_t to_ns) const;

 private:
  struct Stretch {
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint64_t before_ns = 0;  // of such time in all stretches before
  };
  using Stretches = std::vector<Stretch>;  // in order of time, none overlapping

  static uint64_t Until(const Stretches& stretches, uint64_t time_ns);
  static void Append(Stretches& stretches, uint64_t start_ns, uint64_t end_ns);
  // Those of the node's threads alone.
  struct NodeSchedule {
    Stretches full;                 // no CPU was idle
    std::vector<Stretches> others;  // by CPU: other programs ran there
  };
  struct RunEdges {
    std::vector<uint64_t> starts_ns;
    std::vector<uint64_t> ends_ns;
  };
  using RunsByCpu = std::vector<std::vector<std::pair<uint64_t, uint64_t>>>;
  static void FindFull(uint32_t cpu_count, RunEdges& edges, Stretches& full);
  static void FindOthers(RunsByCpu& runs, std::vector<Stretches>& others);

  std::vector<NodeSchedule> nodes_;
};

}  // namespace gordian
