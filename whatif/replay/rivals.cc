// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/rivals.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "whatif/replay/thresholds.h"

namespace gordian {
namespace {

void SetAll(Score& score, std::span<const uint8_t> is_other, CpuClass cpu_class) {
  for (EntityId thread = 0; thread < is_other.size(); ++thread) {
    if (is_other[thread] != 0) score.cpu_class[thread] = cpu_class;
  }
}

}  // namespace

bool HasRivals(std::span<const uint8_t> is_other) {
  return std::count(is_other.begin(), is_other.end(), 0) != std::ssize(is_other);
}

void SettleRivals(Score& score, std::span<const uint8_t> is_other, bool same_cpus,
                  const std::function<double()>& miss) {
  if (!HasRivals(is_other)) return;
  const std::vector<CpuClass> recorded = score.cpu_class;
  std::vector<CpuClass> best = recorded;
  bool best_is_apart = false;
  double least_miss = std::numeric_limits<double>::max();
  if (same_cpus) {
    score.others_apart = true;
    SetAll(score, is_other, CpuClass::kApart);
    least_miss = miss();
    if (least_miss <= kSmallMiss) return;
    best = score.cpu_class;
    best_is_apart = true;
  }
  score.others_apart = false;
  for (const bool first : {true, false}) {
    score.cpu_class = recorded;
    if (first) SetAll(score, is_other, CpuClass::kLeftOver);
    const double its_miss = miss();
    if (its_miss + kClearlyNearer > least_miss) continue;
    least_miss = its_miss;
    best = score.cpu_class;
    best_is_apart = false;
  }
  score.cpu_class = std::move(best);
  score.others_apart = best_is_apart;
}

}  // namespace gordian
