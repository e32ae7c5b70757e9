// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/wait_experiment.h"

#include <algorithm>

#include "whatif/paths/thresholds.h"

namespace gordian {
namespace {

double MedianOf(std::vector<float> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

void WaitExperiment::EndStretch(uint32_t waits_for) {
  if (before_) stretches_[{*before_, waits_for}][waits_].push_back(static_cast<float>(run_ns_));
  before_ = waits_for;
  run_ns_ = 0;
  waits_ = 0;
}

// Of the differences the median by weight: a kind in which who waits also does other work is one
// of several.
std::optional<double> WaitExperiment::RunNsOfAWait() const {
  std::vector<std::pair<double, size_t>> costs;  // and their weights
  size_t all = 0;
  for (const auto& [kind, by_waits] : stretches_) {
    const auto without = by_waits.find(0);
    if (without == by_waits.end() || without->second.size() < kFewestStretches) continue;
    const double without_ns = MedianOf(without->second);
    for (const auto& [waits, run_times] : by_waits) {
      if (waits == 0 || run_times.size() < kFewestStretches) continue;
      const size_t weight = std::min(without->second.size(), run_times.size());
      costs.emplace_back((MedianOf(run_times) - without_ns) / waits, weight);
      all += weight;
    }
  }
  std::sort(costs.begin(), costs.end());
  size_t below = 0;
  for (const auto& [cost_ns, weight] : costs) {
    below += weight;
    if (2 * below >= all) return std::max(0.0, cost_ns);
  }
  return std::nullopt;
}

}  // namespace gordian
