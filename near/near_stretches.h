// SPDX-License-Identifier: Apache-2.0
// What is known of a slice so far, on one node: stretches of its threads, of many parts, as one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "causes/causes.h"

namespace gordian {

class NearStretches {
 public:
  // Joins it with those that it overlaps or touches.
  void Add(EntityId thread, uint64_t from_ns, uint64_t to_ns, CauseEdge edge);
  // Whether the nanosecond before is in it.
  bool HoldsBefore(EntityId thread, uint64_t time_ns) const;

  struct Stretch {
    EntityId thread = kNobody;
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    CauseEdge edge = CauseEdge::kWake;  // by which it came in, at its end
  };
  std::vector<Stretch> All() const;  // by thread, then by time

 private:
  struct End {
    uint64_t to_ns = 0;
    CauseEdge edge = CauseEdge::kWake;
  };
  absl::flat_hash_map<EntityId, std::map<uint64_t, End>> by_thread_;  // by beginning
};

}  // namespace gordian
