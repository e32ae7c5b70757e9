// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/use_sweep.h"

#include <algorithm>

namespace gordian {

void UseSweep::Add(uint64_t start_ns, uint64_t end_ns, double use) {
  if (start_ns >= end_ns || !(use > 0)) return;
  changes_.push_back({start_ns, use});
  changes_.push_back({end_ns, -use});
}

// Sums of floating point numbers may end a little beside 0.
template <typename Take>
void UseSweep::Walk(Take take) {
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  double use = 0;
  for (size_t i = 0; i < changes_.size(); ++i) {
    use += changes_[i].use;
    if (i + 1 == changes_.size() || changes_[i].time_ns == changes_[i + 1].time_ns) continue;
    take(changes_[i].time_ns, changes_[i + 1].time_ns, std::max(use, 0.0));
  }
}

void UseSweep::HandOver(MeasuredResources& resources, ResourceId instance) {
  ResourceSample sample;
  Walk([&](uint64_t start_ns, uint64_t end_ns, double use) {
    if (sample.end_ns == start_ns && sample.use == use) {
      sample.end_ns = end_ns;
      return;
    }
    if (sample.end_ns > 0) resources.AddSample(instance, sample, 0);
    sample = {.start_ns = start_ns, .end_ns = end_ns, .use = use};
  });
  if (sample.end_ns > 0) resources.AddSample(instance, sample, 0);
}

}  // namespace gordian
