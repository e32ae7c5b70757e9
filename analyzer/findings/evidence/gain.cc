// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/gain.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
namespace {

double WithoutShare(double share) { return 1 / std::max(1 / kMostGain, 1 - share); }

double NextLimitAllows(const Case& it, bool count_members) {
  double busiest = 0;
  for (const uint32_t id : it.evidence.scope.vertices) {
    if (!count_members && it.limit.has_member(id)) continue;
    const double busy =
        it.vertex(id).is_device() ? it.measures().BusyShare(id) : it.measures().CpuShare(id);
    busiest = std::max(busiest, busy);
  }
  return busiest > 0 ? std::max(1.0, 1 / busiest) : kMostGain;
}

double CpusAllow(const Case& it) {
  double cpu_share = 0;
  for (const uint32_t id : it.evidence.scope.vertices) {
    if (it.evidence.IsTarget(id)) cpu_share += it.measures().OfRecording(it.vertex(id).cpu_ns());
  }
  return cpu_share > 0 ? std::max(1.0, it.measures().cpus() / cpu_share) : kMostGain;
}

// With all CPUs to themselves.
double CpusAllowMembers(const Case& it) {
  double cpu_share = 0;
  for (const uint32_t id : it.limit.members)
    cpu_share += it.measures().OfRecording(it.vertex(id).cpu_ns());
  return cpu_share > 0 ? std::max(1.0, it.measures().cpus() / cpu_share) : kMostGain;
}

}  // namespace

double BoundOfWait(const Case& it) {
  return std::min(
      {WithoutShare(CostOf(it.limit)), CpusAllow(it), NextLimitAllows(it, true), kMostGain});
}

double BoundOfWaitForCpus(const Case& it) {
  return std::min({WithoutShare(it.limit.share), NextLimitAllows(it, true), CpusAllowMembers(it)});
}

double BoundOfWork(const Case& it) {
  const double next = NextLimitAllows(it, false);
  if (next < kMostGain) return next;
  const double spread = CpusAllow(it);
  // On CPUs that are full nothing can be spread, and only less work gains.
  return spread > kClearlyMore ? spread : WithoutShare(it.limit.share);
}

}  // namespace gordian
