// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/lossy_stretches.h"

#include <algorithm>

namespace gordian {

void LossyStretches::Add(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) {
  if (cpu >= of_cpu_.size()) of_cpu_.resize(size_t{cpu} + 1);
  of_cpu_[cpu].push_back({from_ns, to_ns});
}

void LossyStretches::Finish() {
  for (std::vector<Stretch>& stretches : of_cpu_) {
    std::sort(stretches.begin(), stretches.end(),
              [](const Stretch& a, const Stretch& b) { return a.from_ns < b.from_ns; });
    size_t kept = 0;
    for (const Stretch& stretch : stretches) {
      if (kept > 0 && stretch.from_ns <= stretches[kept - 1].to_ns) {
        stretches[kept - 1].to_ns = std::max(stretches[kept - 1].to_ns, stretch.to_ns);
      } else {
        stretches[kept++] = stretch;
      }
    }
    stretches.resize(kept);
  }
}

bool LossyStretches::Search(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) const {
  const std::vector<Stretch>& stretches = of_cpu_[cpu];
  const auto found = std::lower_bound(
      stretches.begin(), stretches.end(), from_ns,
      [](const Stretch& stretch, uint64_t time_ns) { return stretch.to_ns < time_ns; });
  return found != stretches.end() && found->from_ns <= to_ns;
}

}  // namespace gordian
