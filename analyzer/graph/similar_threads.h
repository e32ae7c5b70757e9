// SPDX-License-Identifier: Apache-2.0
// Which threads do the same work.
//
// Threads of one process whose names differ only in numbers (worker-1, worker-2), or that were
// given one name, are a pool by their name. Threads without a name of their own carry their
// process' name and may do anything: they become one vertex only if they also spend their time
// alike. The same holds for processes of one name and one parent. Kernel threads count as one
// process.
//
// If the code in which they run and wait is known, it also counts (code_similarity.h):
// - threads that have no code in common are kept apart, even with the same name;
// - threads without a name of their own also become one vertex if they spend their time in the same
//   code;
// - threads of one process with different names (except its first thread) become one vertex if they
//   spend their time in the same code.
// Threads with too few samples for that go by their names alone.
//
// Roles must be steady. Runtimes move work from one thread to another (Go, Tokio, ForkJoin):
// threads without a name of their own then spend their time differently by chance, and differently
// again the next time. The recording is cut into eighths. If two groups' threads differ from
// themselves, the even eighths from the odd ones, as much as from each other, they stand in for
// each other and are one.
//
// Threads are compared within their pool only, and pools within their process, each with at most
// kMostLeaders others: the work grows with the number of threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"

namespace gordian {

// kworker/0:1 -> kworker/*:*
std::string NamePattern(std::string_view name);

struct SimilarThreads {
  std::string name;
  std::vector<EntityId> members;  // two at least
};

// Disjoint sets among `candidates` (threads), in an order that does not depend on theirs. If there
// are code profiles, `notes` tells why threads are drawn together or kept apart.
std::vector<SimilarThreads> FindSimilarThreads(const WaitForGraph& graph,
                                               const std::vector<EntityId>& candidates,
                                               const GraphOptions& options,
                                               std::vector<MergeNote>& notes);

}  // namespace gordian
