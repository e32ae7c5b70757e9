// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/graph.h"

namespace gordian {

VertexLabels LabelsOf(const MergedGraph& graph) {
  std::vector<VertexFacts> facts;
  facts.reserve(graph.vertices.size());
  for (const Vertex& vertex : graph.vertices) {
    facts.push_back({.id = static_cast<uint32_t>(facts.size()),
                     .kind = std::string(VertexKindName(vertex.kind)),
                     .name = vertex.name,
                     .process = vertex.process,
                     .node = vertex.node,
                     .container = vertex.container,
                     .tid = vertex.tid,
                     .threads = vertex.threads});
  }
  return VertexLabels(std::move(facts));
}

}  // namespace gordian
