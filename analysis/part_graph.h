// SPDX-License-Identifier: Apache-2.0
// The graph of a part of a recording, to be judged as the whole was.
#pragma once

#include "analyzer/graph/graph.h"
#include "analyzer/graph/graphs_of_parts.h"
#include "analyzer/graph/wait_for_graph.h"
#include "schema/report.pb.h"

namespace gordian {

struct PartGraph {
  WaitForGraph graph;
  MergedGraph merged;
};

// In the place of the part that was judged before. Its threads are targets where those of `whole`,
// which was made of `whole_graph`, are.
inline void MakePart(const Waits& waits, const WindowSumsView& sums,
                     const WaitForGraphOptions& range, const pb::Report& whole,
                     const MergedGraph& whole_graph, PartGraph& part) {
  GraphOverInto(waits, sums, range, {}, part.graph);
  for (size_t id = 0; id < part.graph.entities.size(); ++id) {
    const auto vertex = static_cast<int>(whole_graph.vertex_of_entity[id]);
    part.graph.entities[id].target = whole.vertices(vertex).target();
  }
  BuildGraphLikeInto(whole_graph, part.graph, part.merged);
}

}  // namespace gordian
