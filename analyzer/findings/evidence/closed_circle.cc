// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/closed_circle.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"
#include "base/time_units.h"

namespace gordian {

namespace {

bool IsAmong(std::span<const uint32_t> members, uint32_t id) {
  return std::find(members.begin(), members.end(), id) != members.end();
}

// An idle thread of a pool also waits for the circle, until that has work for it. Where packets do
// not tell who asks: the circle does not wait for such a thread.
bool AsksAndIsAnswered(const Evidence& evidence, const Edge& question) {
  const Measures& measures = evidence.measures;
  if (!evidence.IsTarget(question.from) || measures.OwnShare(question) < kMostOfTheTime)
    return false;
  if (measures.Asks(question.from, question.to) && evidence.IsTarget(question.to)) return true;
  if (measures.Asks(question.to, question.from)) return false;
  const Edge* answer = measures.FindEdge(question.to, question.from);
  return answer != nullptr &&
         static_cast<double>(answer->count) >= kMostOfTheTime * static_cast<double>(question.count);
}

bool IsAskedByTarget(const Evidence& evidence, std::span<const uint32_t> members) {
  if (evidence.target.is_the_others) return false;
  const std::vector<Edge>& edges = evidence.measures.graph().edges;
  return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    // Few edges are so heavy: that is asked first.
    return AsksAndIsAnswered(evidence, edge) && IsAmong(members, edge.to) &&
           !IsAmong(members, edge.from);
  });
}

}  // namespace

bool IsLightCircle(const Evidence& evidence, std::span<const uint32_t> members) {
  double active_ns = 0;
  for (const uint32_t id : members) {
    if (evidence.vertex(id).is_device() || evidence.ClientsWaitFor(id)) return false;
    active_ns += evidence.ActiveNs(id);
  }
  return active_ns < kFullCpu * evidence.measures.span_ns() && !IsAskedByTarget(evidence, members);
}

bool IsClosedCircle(const Evidence& evidence, std::span<const uint32_t> members) {
  const Measures& measures = evidence.measures;
  double their_work_ns = 0;
  uint64_t waits = 0;
  double most = 0;
  for (const uint32_t id : members) {
    if (!evidence.IsTarget(id)) return false;
    their_work_ns += evidence.ActiveNs(id);
    double outside = 0;
    for (const Edge& edge : measures.edges_from(id)) {
      const VertexKind kind = measures.vertex(edge.to).kind;
      if (IsAmong(members, edge.to)) {
        waits += edge.count;
        most = std::max(most, measures.OwnShare(edge));
      } else if (kind != VertexKind::kTimer && kind != VertexKind::kDisk) {
        outside += measures.OwnShare(edge);
      }
    }
    if (outside >= kMatters) return false;
  }
  const double per_second = static_cast<double>(waits) * kNsPerSecond / measures.span_ns();
  return their_work_ns >= kNearlyAll * evidence.work_ns && most >= kMostOfTheTime &&
         per_second >= kOftenPerSecond;
}

}  // namespace gordian
