// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/full_cpus.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
namespace {

bool AsksTheTarget(const Evidence& evidence, uint32_t id) {
  const std::vector<char>& is_target = evidence.target.is_target;
  for (uint32_t other = 0; other < is_target.size(); ++other) {
    if (is_target[other] != 0 && evidence.measures.Asks(id, other)) return true;
  }
  return false;
}

}  // namespace

bool WorkFillsTheCpus(const Evidence& evidence, const Limit& limit) {
  const Measures& measures = evidence.measures;
  double work_ns = 0;
  double recorder_ns = 0;
  for (uint32_t id = 0; id < evidence.target.is_target.size(); ++id) {
    const Vertex& vertex = evidence.vertex(id);
    if (!vertex.has_threads()) continue;
    const auto cpu_ns = static_cast<double>(vertex.cpu_ns());
    if (vertex.recorder) {
      recorder_ns += cpu_ns;
    } else if (evidence.IsTarget(id) || limit.has_member(id) || AsksTheTarget(evidence, id)) {
      work_ns += cpu_ns;
    }
  }
  return work_ns >= kFullCpu * (measures.span_ns() * measures.cpus() - recorder_ns);
}

bool WaitsCostNoCpu(const Evidence& evidence, const Limit& circle) {
  double waits = 0;
  for (const ScopeEdge& edge : circle.edges) {
    const Edge* recorded = evidence.measures.FindEdge(edge.from, edge.to);
    if (recorded != nullptr) waits += static_cast<double>(recorded->count);
  }
  double cpu_ns = 0;
  for (const uint32_t id : circle.members) {
    if (evidence.vertex(id).has_threads())
      cpu_ns += static_cast<double>(evidence.vertex(id).cpu_ns());
  }
  return waits * static_cast<double>(kQuickWakeNs) < kMattersMuch * cpu_ns;
}

}  // namespace gordian
