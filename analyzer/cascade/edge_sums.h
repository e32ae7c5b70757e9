// SPDX-License-Identifier: Apache-2.0
// Adds up what belongs to the same edge.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/model.h"

namespace gordian {

class EdgeSums {
 public:
  explicit EdgeSums(size_t entities) : last_of_(entities, kNone) {}

  Edge& Of(EntityId from, EntityId to) {
    const uint32_t last = last_of_[from];
    if (last != kNone && edges_[last].to == to) return edges_[last];
    return Find(from, to);
  }
  void Add(const Edge& edge);

  // By (from, to).
  std::vector<Edge> Sorted() const;

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  Edge& Find(EntityId from, EntityId to);

  std::vector<Edge> edges_;
  absl::flat_hash_map<uint64_t, uint32_t> places_;  // by from << 32 | to
  std::vector<uint32_t> last_of_;                   // the edge of each waiter that was asked last
};

}  // namespace gordian
