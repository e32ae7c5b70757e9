// SPDX-License-Identifier: Apache-2.0
// What is in a slice: threads, and when. Several slices may be drawn together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/model.h"

namespace gordian {

class SliceCover {
 public:
  void Add(EntityId thread, uint64_t from_ns, uint64_t to_ns) {
    if (from_ns < to_ns) stretches_[thread].emplace_back(from_ns, to_ns);
  }
  // Once all are added.
  void Settle();
  // Whether some of that time is in it.
  bool Holds(EntityId thread, uint64_t from_ns, uint64_t to_ns) const;

 private:
  // Of each thread; once settled in order of time, apart from each other.
  absl::flat_hash_map<EntityId, std::vector<std::pair<uint64_t, uint64_t>>> stretches_;
};

}  // namespace gordian
