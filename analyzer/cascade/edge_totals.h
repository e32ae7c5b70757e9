// SPDX-License-Identifier: Apache-2.0
// Adds up what belongs to the same edge within a range of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/cascade/cascade.h"
#include "analyzer/model/model.h"

namespace gordian {

class EdgeTotals {
 public:
  // All ids are below `entities`; those of waiters not below `first_waiter`.
  EdgeTotals(size_t entities, uint64_t from_ns, uint64_t to_ns, EntityId first_waiter = 0)
      : from_ns_(from_ns),
        to_ns_(to_ns),
        first_waiter_(first_waiter),
        last_of_(entities - first_waiter, kNone) {}

  // The windows within the range …
  void Add(std::span<const EdgeSum> sums);
  // … and each wait once that lies wholly in none of them; clipped to the range.
  void AddWaits(std::span<const WaitInterval> waits);
  // What another part of the same range gave.
  void Add(const EdgeTotals& part);
  void Add(const Edge& more);

  // By (from, to). Nothing is left: there may be hundreds of thousands.
  std::vector<Edge> TakeSorted();

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  Edge& Of(EntityId from, EntityId to) {
    const uint32_t last = last_of_[from - first_waiter_];
    if (last != kNone && EdgeAt(last).to == to) return EdgeAt(last);
    return Find(from, to);
  }
  Edge& EdgeAt(size_t place) { return blocks_[place / kBlockEdges][place % kBlockEdges]; }
  const Edge& EdgeAt(size_t place) const {
    return blocks_[place / kBlockEdges][place % kBlockEdges];
  }
  Edge& Find(EntityId from, EntityId to);

  uint64_t from_ns_;
  uint64_t to_ns_;
  EntityId first_waiter_;
  // In blocks: a row that grows is there twice, and half empty, when there is the least memory.
  static constexpr size_t kBlockEdges = 512;
  std::vector<std::unique_ptr<Edge[]>> blocks_;
  size_t count_ = 0;
  absl::flat_hash_map<uint64_t, uint32_t> places_;  // by from << 32 | to
  std::vector<uint32_t> last_of_;                   // by waiter, its edge that was asked last
};

}  // namespace gordian
