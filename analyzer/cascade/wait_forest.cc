// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/wait_forest.h"

#include <algorithm>

namespace gordian {

WaitForest::WaitForest(size_t entities) : nodes_(entities), waits_(entities) {}

bool WaitForest::Begin(EntityId waiter, EntityId waker, uint64_t time_ns) {
  waits_[waiter] = {.waker = waker, .begin_integral = Integral(nodes_[waiter], time_ns)};
  if (Link(waiter, waker, time_ns)) return true;
  left_out_.push_back(waiter);
  return false;
}

uint64_t WaitForest::End(EntityId waiter, uint64_t time_ns) {
  const Node& node = nodes_[waiter];
  const uint64_t weight_ns = Integral(node, time_ns) - waits_[waiter].begin_integral;
  waits_[waiter].waker = kNobody;
  if (node.parent != kNobody) {
    Cut(waiter, time_ns);
    if (!left_out_.empty()) Retry(time_ns);
  } else {
    std::erase(left_out_, waiter);
  }
  return weight_ns;
}

// The walks end: links only ever go where they close no cycle, so they meet a root. A waiter for
// whom nobody waits, as most are who come to a queue, closes none but with itself.
bool WaitForest::Link(EntityId waiter, EntityId waker, uint64_t time_ns) {
  Node& node = nodes_[waiter];
  if (waiter == waker) return false;
  if (node.size > 1) {
    for (EntityId at = waker; at != kNobody; at = nodes_[at].parent) {
      if (at == waiter) return false;
    }
  }
  node.parent = waker;
  const uint32_t size = node.size;
  const uint64_t added = size * time_ns;
  for (EntityId at = waker; at != kNobody; at = nodes_[at].parent) {
    nodes_[at].size += size;
    nodes_[at].offset += added;
  }
  return true;
}

void WaitForest::Cut(EntityId waiter, uint64_t time_ns) {
  Node& node = nodes_[waiter];
  const uint32_t size = node.size;
  const uint64_t taken = size * time_ns;
  for (EntityId at = node.parent; at != kNobody; at = nodes_[at].parent) {
    nodes_[at].size -= size;
    nodes_[at].offset -= taken;
  }
  node.parent = kNobody;
}

// A cycle may have been opened. Cycles have no wait in common (each waiter waits for one), so the
// order in which their links are tried does not matter.
void WaitForest::Retry(uint64_t time_ns) {
  std::erase_if(left_out_, [this, time_ns](EntityId waiter) {
    return Link(waiter, waits_[waiter].waker, time_ns);
  });
}

}  // namespace gordian
