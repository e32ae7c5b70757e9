// SPDX-License-Identifier: Apache-2.0
// One question in SQL to many nodes: each answers for its own recording, and nothing is collected.
//
//   auto table = QueryAcross(nodes, "SELECT name, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT
//   3"); table->titles                       // node, name, wait_ns
//
// So a node tells its own limits, losses and times, and what each of its threads did. What needs
// the recordings of all nodes at once (slices, critical paths, participation) is refused, as one
// node's answer would end at its first packet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "near/near_slice.h"
#include "query/query.h"

namespace gordian {

struct NearTable {
  std::vector<std::string> titles;           // the first is "node"
  std::vector<std::vector<QueryCell>> rows;  // in order of nodes, then as each told them
  std::vector<std::string> notes;            // who did not answer, and what was left out
};

// The first failure if no node answers; InvalidArgument or FailedPrecondition for a question that
// nodes cannot be asked.
absl::StatusOr<NearTable> QueryAcross(const NearNodes& nodes, std::string_view sql);

// The table in `sql` that needs the recordings of all nodes at once; empty: none does.
std::string TableOfAllNodes(std::string_view sql);

}  // namespace gordian
