// SPDX-License-Identifier: Apache-2.0
// When all CPUs of a node were at work for certain threads. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

class RunningCpus {
 public:
  // `counts`: by thread. Time that others had the CPUs is no queue of these threads.
  RunningCpus(const Timeline& timeline, std::span<const uint8_t> counts);

  // The part of that time in which a CPU of the node was not at work for these threads.
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
