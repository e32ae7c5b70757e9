// SPDX-License-Identifier: Apache-2.0
// Shares a device's idle time among the threads that gave it work.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/model/model.h"

namespace gordian {

struct Work {
  // Of a disk the idle time that its requests ended. Of an interface the bytes of its packets, each
  // as at least kLeastBytes.
  uint64_t given = 0;
  uint64_t count = 0;
  uint64_t longest_ns = 0;
};

// By what they gave, adding up to idle_ns exactly: what rounding leaves goes to the first threads.
std::vector<Edge> ShareIdleTime(EntityId device, uint64_t idle_ns,
                                const std::map<EntityId, Work>& work_of);

}  // namespace gordian
