// SPDX-License-Identifier: Apache-2.0
#include "path/stretches.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gordian {
namespace {

using What = std::pair<CommandId, PathState>;

// Of [from_ns, to_ns), which the step at `first` overlaps; leaves `first` at the last one that
// does.
const PathStep& Most(std::span<const PathStep> steps, size_t& first, uint64_t from_ns,
                     uint64_t to_ns) {
  std::map<What, uint64_t> ns;
  const PathStep* most = &steps[first];
  uint64_t most_ns = 0;
  for (size_t i = first; i < steps.size() && steps[i].from_ns < to_ns; ++i) {
    first = i;
    const PathStep& step = steps[i];
    uint64_t& sum_ns = ns[{step.command, step.state}];
    sum_ns += std::min(step.to_ns, to_ns) - std::min(std::max(step.from_ns, from_ns), to_ns);
    if (sum_ns > most_ns) {
      most_ns = sum_ns;
      most = &step;
    }
  }
  return *most;
}

}  // namespace

std::vector<PathStretch> StretchesOf(std::span<const PathStep> steps, const JobProcesses& processes,
                                     uint32_t parts) {
  std::vector<PathStretch> stretches;
  if (steps.empty()) return stretches;
  const uint64_t from_ns = steps.front().from_ns;
  const uint64_t length_ns = steps.back().to_ns - from_ns;
  const uint64_t part_ns = length_ns / parts + 1;
  size_t first = 0;
  const PathStep* last = nullptr;
  for (uint64_t begin_ns = from_ns; begin_ns < from_ns + length_ns; begin_ns += part_ns) {
    const uint64_t end_ns = std::min(begin_ns + part_ns, from_ns + length_ns);
    const PathStep& most = Most(steps, first, begin_ns, end_ns);
    if (last != nullptr && last->command == most.command && last->state == most.state) {
      stretches.back().to_ns = end_ns;
    } else {
      const PathCommand& command = processes.commands()[most.command];
      stretches.push_back({.from_ns = begin_ns,
                           .to_ns = end_ns,
                           .leader = processes.process(command.process).leader,
                           .program = processes.programs()[command.program],
                           .state = most.state,
                           .is_outside = most.is_outside});
    }
    last = &most;
  }
  return stretches;
}

}  // namespace gordian
