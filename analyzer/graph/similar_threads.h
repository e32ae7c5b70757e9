// Which threads do the same work.
//
// Threads of one process whose names differ only in numbers (worker-1, worker-2), or that were
// given one name, are a pool by their name. Threads that nobody named carry their process' name and
// may do anything: those are drawn together only where they also spend their time alike, and the
// same holds for processes of one name and one parent. Kernel threads count as one process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model.h"

namespace gordian {

// kworker/0:1 -> kworker/*:*
std::string NamePattern(std::string_view name);

struct SimilarThreads {
  std::string name;
  std::vector<EntityId> members;  // two at least
};

// Disjoint sets among `candidates` (threads), in an order that does not depend on theirs.
std::vector<SimilarThreads> FindSimilarThreads(const WaitForGraph& graph,
                                               const std::vector<EntityId>& candidates);

}  // namespace gordian
