// SPDX-License-Identifier: Apache-2.0
// The part of the wait-for graph in which limits are sought.
//
// On a whole machine the bare definition of a knot finds nothing: one stray wait of a kernel thread
// on an unrelated compiler is a way out of every knot. So the scope is the part that the workers
// reach over edges that matter. Left out are
//   - edges that do not matter (kMatters); but a vertex that waits much, a little for each of many,
//     keeps its heaviest until those left out do not matter together. A user's thread outside of
//     the target must be waited for more (kMattersMuch), as it may have nothing to do with it. If
//     the waiter asks it, that is a share of the time in which no thread waits for a peer;
//   - an outsider's waits for the next question of a pool that shares the way to it;
//   - edges to timers and unknown wakers: no way out, as no thread stands behind them;
//   - the recorder's threads.
// Devices lead nowhere by themselves: a disk that idles until a compiler gives it work limits only
// the compiler. Within the scope a device that is not saturated waits for each thread that gives it
// a fair part of its work. It waits for all its idle time, as each of them could use all of it. If
// no such thread is in scope, it waits for the threads that wait for it.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/findings/evidence/measures.h"

namespace gordian {

// An edge within the scope. A device's is heavier here than in the graph (see above), and may have
// no counterpart there.
struct ScopeEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t weight_ns = 0;
  uint64_t own_ns = 0;
  double share = 0;  // Measures::OwnShare; of a wait for an answer ShareBesidePeers
};

struct Scope {
  std::vector<uint32_t> vertices;  // ascending
  std::vector<char> contains;      // by vertex
  std::vector<ScopeEdge> edges;    // sorted by (from, to)
  std::vector<Edge> left_out;      // edges of the graph within the scope that do not matter
};

// Reaches out from `starts`. Ignores vertices for which `allowed` is 0.
Scope MakeScope(const Measures& measures, const std::vector<uint32_t>& starts,
                const std::vector<char>& allowed, const std::vector<char>& is_target);

}  // namespace gordian
