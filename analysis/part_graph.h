// SPDX-License-Identifier: Apache-2.0
// The graph of a part of a recording, to be judged as the whole was.
#pragma once

#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

// Its threads are targets where those of `whole`, which was made of `merged`, are.
inline WaitForGraph WithTargetsOf(const pb::Report& whole, const MergedGraph& merged,
                                  WaitForGraph graph) {
  for (size_t id = 0; id < graph.entities.size(); ++id) {
    const auto vertex = static_cast<int>(merged.vertex_of_entity[id]);
    graph.entities[id].target = whole.vertices(vertex).target();
  }
  return graph;
}

}  // namespace gordian
