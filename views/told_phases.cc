// SPDX-License-Identifier: Apache-2.0
#include "views/told_phases.h"

#include <algorithm>
#include <tuple>

namespace gordian {

ToldPhases PhasesWithin(const RecordedPhases& phases, uint64_t start_ns, uint64_t from_ns,
                        uint64_t to_ns) {
  ToldPhases told;
  const auto keep_longest = [&told] {
    if (told.phases.size() <= kMostToldPhases) return;
    std::nth_element(told.phases.begin(), told.phases.begin() + kMostToldPhases, told.phases.end(),
                     [](const ToldPhase& a, const ToldPhase& b) {
                       return std::tuple(b.to_ns - b.from_ns, a.from_ns, a.thread) <
                              std::tuple(a.to_ns - a.from_ns, b.from_ns, b.thread);
                     });
    told.left_out += told.phases.size() - kMostToldPhases;
    told.phases.resize(kMostToldPhases);
  };
  for (const std::vector<ThreadPhase>* some : {&phases.whole, &phases.unended}) {
    for (const ThreadPhase& phase : *some) {
      const ToldPhase one = {.thread = phase.thread,
                             .from_ns = std::max(phase.from_ns, start_ns) - start_ns,
                             .to_ns = std::max(phase.to_ns, start_ns) - start_ns,
                             .name = phase.name};
      if (one.from_ns >= to_ns || one.to_ns <= from_ns) continue;
      told.phases.push_back(one);
      if (told.phases.size() >= 2 * kMostToldPhases) keep_longest();
    }
  }
  keep_longest();
  std::sort(told.phases.begin(), told.phases.end(), [](const ToldPhase& a, const ToldPhase& b) {
    return std::tuple(a.from_ns, b.to_ns, a.thread, a.name) <
           std::tuple(b.from_ns, a.to_ns, b.thread, b.name);
  });
  return told;
}

}  // namespace gordian
