#include "analyzer/findings/closed_circle.h"

#include <algorithm>

#include "base/time_units.h"

namespace gordian {
namespace {

constexpr double kNearlyAll = 0.8;
constexpr double kMostlyEachOther = 0.5;  // of a member's time
constexpr double kAgainAndAgain = 100;    // waits for each other in a second

}  // namespace

bool IsClosedCircle(const Measures& measures, const Target& target,
                    std::span<const uint32_t> members) {
  double work_ns = 0, their_work_ns = 0;
  for (const uint32_t id : target.workers)
    work_ns += static_cast<double>(measures.vertex(id).active_ns());
  uint64_t waits = 0;
  double most = 0;
  for (const uint32_t id : members) {
    if (!target.is_target[id]) return false;
    their_work_ns += static_cast<double>(measures.vertex(id).active_ns());
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
  return their_work_ns >= kNearlyAll * work_ns && most >= kMostlyEachOther &&
         static_cast<double>(waits) * kNsPerSecond >= kAgainAndAgain * measures.span_ns();
}

}  // namespace gordian
