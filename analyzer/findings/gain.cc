#include "analyzer/findings/gain.h"

#include <algorithm>

namespace gordian {
namespace {

// More than any report should promise.
constexpr double kMostGain = 100;

double WithoutShare(double share) { return 1 / std::max(1 / kMostGain, 1 - share); }

double NextLimit(const Measures& measures, const Scope& scope, const Limit& limit,
                 bool count_members) {
  double busiest = 0;
  for (const uint32_t id : scope.vertices) {
    if (!count_members && std::binary_search(limit.members.begin(), limit.members.end(), id)) {
      continue;
    }
    const double busy =
        measures.vertex(id).is_device() ? measures.BusyShare(id) : measures.CpuShare(id);
    busiest = std::max(busiest, busy);
  }
  return busiest > 0 ? std::max(1.0, 1 / busiest) : kMostGain;
}

double CpusAllow(const Measures& measures, const Scope& scope, const Target& target) {
  double cpu_share = 0;
  for (const uint32_t id : scope.vertices) {
    if (target.is_target[id]) cpu_share += measures.OfRecording(measures.vertex(id).cpu_ns());
  }
  return cpu_share > 0 ? std::max(1.0, measures.cpus() / cpu_share) : kMostGain;
}

}  // namespace

double UpperBoundGain(const Measures& measures, const Scope& scope, const Target& target,
                      const Limit& limit) {
  const double cpus_allow = CpusAllow(measures, scope, target);
  switch (limit.kind) {
    case LimitKind::kBackground:
      return 1;
    case LimitKind::kSink:
      if (measures.BusyShare(limit.members[0]) < kBusy) break;  // others wait for it now and then
      [[fallthrough]];
    case LimitKind::kDevice: {
      // The work itself may become less; without a next limit, it may at best be spread.
      const double next = NextLimit(measures, scope, limit, false);
      return next >= kMostGain ? cpus_allow : next;
    }
    case LimitKind::kKnot:
    case LimitKind::kSleep:
    case LimitKind::kOutside:
      break;
    case LimitKind::kStarvation:  // more CPUs are what it is about
      return std::min(WithoutShare(limit.share), NextLimit(measures, scope, limit, true));
  }
  return std::min(
      {WithoutShare(limit.share), cpus_allow, NextLimit(measures, scope, limit, true), kMostGain});
}

}  // namespace gordian
