// SPDX-License-Identifier: Apache-2.0
// Which thread was on which CPU when, and so what kept a ready thread from running.
#pragma once

#include <cstddef>
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
  // Where a walk over stretches was last.
  struct Place {
    size_t in_full = 0;
    std::vector<size_t> in_others;  // by CPU; the last ones may be missing
  };

 public:
  // Asks for one time after the other of a thread. Each question begins where the last one ended:
  // in order of time it costs next to nothing, in any other order a search.
  class Walk {
   public:
    Walk(const CpuSchedule& schedule, uint32_t node) : schedule_(schedule), node_(node) {}
    Readiness Between(uint32_t cpu, uint64_t from_ns, uint64_t to_ns) {
      return schedule_.Between(node_, cpu, from_ns, to_ns, place_);
    }

   private:
    const CpuSchedule& schedule_;
    const uint32_t node_;
    Place place_;
  };

 private:
  struct Stretch {
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint64_t before_ns = 0;  // of such time in all stretches before
  };
  using Stretches = std::vector<Stretch>;  // in order of time, none overlapping

  Readiness Between(uint32_t node, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
                    Place& place) const;
  // Such time before time_ns. `place` is a stretch to begin the search at, and becomes the one
  // found.
  static uint64_t Until(const Stretches& stretches, uint64_t time_ns, size_t& place);
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
