// SPDX-License-Identifier: Apache-2.0
// Graphs of several parts of a recording, one behind the other, each in the place and memory of the
// one before. New memory for a hundred thousand entities, for each part, costs more than to fill
// it.
#pragma once

#include "analyzer/graph/graph.h"
#include "analyzer/graph/wait_for_graph.h"

namespace gordian {

// As GraphOver. What `graph` held is overwritten.
void GraphOverInto(const Waits& waits, const WindowSumsView& sums,
                   const WaitForGraphOptions& options, const Progress& progress,
                   WaitForGraph& graph);

// As BuildGraphLike. Likewise.
void BuildGraphLikeInto(const MergedGraph& whole, const WaitForGraph& part, MergedGraph& merged);

}  // namespace gordian
