// SPDX-License-Identifier: Apache-2.0
// A possible limit of the throughput, before it is put into words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/scope.h"

namespace gordian {

struct Limit {
  FindingKind kind = FindingKind::kKnot;
  std::vector<uint32_t> members;    // ascending
  std::vector<ScopeEdge> edges;     // of a knot, heaviest first
  std::optional<ScopeEdge> attack;  // the edge to attack
  std::optional<ScopeEdge> waiter;  // of a sleeper: the heaviest wait for it
  // Of a circle whose edge to attack is between threads: the target's heaviest wait for a disk in
  // it.
  std::optional<ScopeEdge> disk_wait;
  double share = 0;       // of the recording
  double waited_for = 0;  // the largest share that another vertex waits for a member
  // The waiting vertices are pools that have enough other work for one thread: perhaps they wait
  // for work that does not exist.
  bool perhaps_idle = false;
  // The vertices that wait for it are slow because of it: the search does not ask them.
  bool hides_waiters = false;
  bool apart = false;  // not of the target's scope
  // Of a sink: it and the rest of the target leave no CPU free, and it has so much of all of them.
  double of_all_cpus = 0;

  bool has_member(uint32_t vertex) const {
    return std::binary_search(members.begin(), members.end(), vertex);
  }
};

// The share of their time that it costs the threads that wait for it: a sleep costs them no more
// than they wait for the sleeper.
inline double CostOf(const Limit& limit) {
  return limit.waiter ? std::min(limit.share, limit.waited_for) : limit.share;
}

inline void SortHeaviestFirst(std::vector<ScopeEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const ScopeEdge& a, const ScopeEdge& b) {
    return a.weight_ns > b.weight_ns;
  });
}

}  // namespace gordian
