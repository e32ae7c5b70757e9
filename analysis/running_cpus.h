// SPDX-License-Identifier: Apache-2.0
// How many CPUs of each node were at work when.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

class RunningCpus {
 public:
  explicit RunningCpus(const Timeline& timeline);

  // The part of that time in which a CPU of the node was idle.
  uint64_t IdleBetween(uint32_t node, uint64_t from_ns, uint64_t to_ns) const;

 private:
  // From time_ns on.
  struct Stretch {
    uint64_t time_ns = 0;
    uint64_t idle_before_ns = 0;
    bool has_idle = true;
  };
  uint64_t IdleBefore(const std::vector<Stretch>& stretches, uint64_t time_ns) const;

  std::vector<std::vector<Stretch>> of_node_;
};

}  // namespace gordian
