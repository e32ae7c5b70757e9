// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/hidden_switches.h"

#include <algorithm>

namespace gordian {

void HiddenSwitches::Take(const DecodedBlock& block, const Pauses& pauses) {
  for (const HiddenSwitch& hidden : block.hidden_switches) {
    Add(hidden.cpu, hidden.from_ns, hidden.to_ns);
  }
  if (!block.first_switch) return;
  const SwitchEnd& first = *block.first_switch;
  if (first.cpu >= known_until_ns_.size()) known_until_ns_.resize(size_t{first.cpu} + 1);
  known_until_ns_[first.cpu] = block.last_switch->time_ns;
  const auto before = std::find_if(last_switches_.begin(), last_switches_.end(),
                                   [&](const SwitchEnd& last) { return last.cpu == first.cpu; });
  if (before == last_switches_.end()) {
    last_switches_.push_back(*block.last_switch);
    return;
  }
  const bool paused = pauses.LastResume(first.time_ns) > before->time_ns;
  if (before->tid != first.tid && !paused) Add(first.cpu, before->time_ns, first.time_ns);
  *before = *block.last_switch;
}

// A run begins at the first of two switches and ends at the second: those belong to its neighbours.
void HiddenSwitches::Add(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) {
  if (to_ns > from_ns + 1) stretches_.Add(cpu, from_ns + 1, to_ns - 1);
}

}  // namespace gordian
