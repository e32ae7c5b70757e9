// SPDX-License-Identifier: Apache-2.0
// Workers for activities of which a log only tells the group: a service, an executor.
//
// Points of one worker at one time are the same point. So two activities must not share a worker
// unless one ends before the other begins. Each group gets as many lanes as it does at once.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

class Lanes {
 public:
  // The lowest number from 1 that is free. Calls of one group are in order of `start_ns`.
  uint32_t Take(uint32_t group, uint64_t start_ns, uint64_t end_ns);

  // "shop", "shop #2", …: `gordian participation --by vertex` takes them together.
  static std::string Name(std::string_view group, uint32_t lane);

 private:
  struct Group {
    // End and number of each lane in use, the earliest end on top.
    std::priority_queue<std::pair<uint64_t, uint32_t>, std::vector<std::pair<uint64_t, uint32_t>>,
                        std::greater<>>
        busy;
    std::set<uint32_t> free;
    uint32_t lanes = 0;
  };
  absl::flat_hash_map<uint32_t, Group> groups_;
};

}  // namespace gordian
