#include "analyzer/findings/evidence/closed_circle.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"
#include "base/time_units.h"

namespace gordian {

bool IsLightCircle(const Evidence& evidence, std::span<const uint32_t> members) {
  double active_ns = 0;
  for (const uint32_t id : members) {
    if (evidence.vertex(id).is_device() || evidence.ClientsWaitFor(id)) return false;
    active_ns += evidence.ActiveNs(id);
  }
  return active_ns < kFullCpu * evidence.measures.span_ns();
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
      if (std::find(members.begin(), members.end(), edge.to) != members.end()) {
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
