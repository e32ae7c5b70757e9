// SPDX-License-Identifier: Apache-2.0
// The work that a phase does itself while it has others within it, one after the other: a function
// between its calls, a script between its sections. It becomes phases of the type `itself`, so that
// this time is not taken for one in which nothing is known to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "jobs/tree/phase_collector.h"

namespace gordian {

class OwnWork {
 public:
  // Of `parent`, which began then. `place` says where it runs; its type and keys do not matter.
  OwnWork(uint32_t parent, const PhaseMark& place, uint64_t start_ns)
      : parent_(parent), node_(place.node), pid_(place.pid), tid_(place.tid), from_ns_(start_ns) {}

  // Each phase within, in order. Each comes after the one before. `shortest_ns`: less time between
  // two is none.
  void ChildBegins(PhaseCollector& collector, uint32_t child, uint64_t start_ns,
                   uint64_t shortest_ns = 0);
  void ChildEnds(uint64_t end_ns) { from_ns_ = std::max(from_ns_, end_ns); }
  // The phase itself ends. One without others within needs nothing.
  void Finish(PhaseCollector& collector, uint64_t end_ns, uint64_t shortest_ns = 0);

 private:
  void Fill(PhaseCollector& collector, uint64_t to_ns, uint64_t shortest_ns);

  uint32_t parent_;
  std::string node_;
  int32_t pid_;
  int32_t tid_;
  uint64_t from_ns_;
  uint32_t last_ = kNoId;
};

}  // namespace gordian
