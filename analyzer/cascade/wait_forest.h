// SPDX-License-Identifier: Apache-2.0
// The forest of who waits for whom at one instant, swept over time.
//
// A node keeps the size s of its subtree and, lazily, the integral I of that size over time: I(t) =
// s·t − b. A subtree of size d that is linked below at time t adds d to s and d·t to b, all the way
// up. A subtree that is cut takes them off again. All arithmetic is modulo 2^64: only differences
// of integrals are used, and those are weights, which fit.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/model.h"

namespace gordian {

class WaitForest {
 public:
  explicit WaitForest(size_t entities);

  // `waiter`, which does not wait, begins to wait for `waker`. Times never decrease. False if that
  // closes a cycle: then the link waits until a wait of the cycle ends.
  bool Begin(EntityId waiter, EntityId waker, uint64_t time_ns);

  // Ends the wait; gives its weight.
  uint64_t End(EntityId waiter, uint64_t time_ns);

 private:
  // What walks touch, and nothing else: a queue for a lock may be thousands of nodes long.
  struct Node {
    EntityId parent = kNobody;
    uint32_t size = 1;    // entities have numbers of so many bits
    uint64_t offset = 0;  // b
  };
  struct Wait {
    EntityId waker = kNobody;  // kNobody unless it waits
    uint64_t begin_integral = 0;
  };
  static uint64_t Integral(const Node& node, uint64_t time_ns) {
    return node.size * time_ns - node.offset;
  }
  bool Link(EntityId waiter, EntityId waker, uint64_t time_ns);
  void Cut(EntityId waiter, uint64_t time_ns);
  void Retry(uint64_t time_ns);

  std::vector<Node> nodes_;
  std::vector<Wait> waits_;         // by waiter
  std::vector<EntityId> left_out_;  // waiters whose link would close a cycle
};

}  // namespace gordian
