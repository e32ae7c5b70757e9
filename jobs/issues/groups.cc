// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/groups.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace gordian {
namespace {

GroupLevel LevelOf(const Job& job, PhaseTypeId type, PhaseTypeId scope_type) {
  GroupLevel level = {type, scope_type, {}};
  std::map<std::pair<PhaseId, std::string>, std::vector<PhaseId>> sets;
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (job.phases[phase].type != type) continue;
    std::string turn;
    PhaseId scope = phase;
    while (scope != kNoId && job.phases[scope].type != scope_type) {
      const Phase& it = job.phases[scope];
      if (job.model.types[it.type].repeat == PhaseRepeat::kSequential) turn += "/" + it.key;
      scope = it.parent;
    }
    if (scope != kNoId) sets[{scope, turn}].push_back(phase);
  }
  for (auto& [at, members] : sets) {
    if (members.size() > 1) level.groups.push_back({at.first, std::move(members)});
  }
  return level;
}

}  // namespace

std::vector<GroupLevel> GroupLevels(const Job& job) {
  std::vector<GroupLevel> levels;
  for (PhaseTypeId type = 0; type < job.model.types.size(); ++type) {
    for (PhaseTypeId at = type; job.model.types[at].parent != kNoId;
         at = job.model.types[at].parent) {
      if (job.model.types[at].repeat != PhaseRepeat::kConcurrent) continue;
      GroupLevel level = LevelOf(job, type, job.model.types[at].parent);
      if (!level.groups.empty()) levels.push_back(std::move(level));
    }
  }
  return levels;
}

// All phases within are stretched alike; delays before the phase itself stay.
void SetDuration(const Replay& replay, PhaseId phase, int64_t duration_ns, ReplayTimes& times) {
  const int64_t before_ns = replay.baseline().duration_ns(phase);
  if (replay.children()[phase].empty()) {
    times.duration_ns[phase] = duration_ns;
    return;
  }
  if (before_ns <= 0) return;
  const double factor = static_cast<double>(duration_ns) / static_cast<double>(before_ns);
  const auto stretch = [factor](int64_t& time_ns) {
    time_ns = std::llround(static_cast<double>(time_ns) * factor);
  };
  std::vector<PhaseId> open = {phase};
  while (!open.empty()) {
    const PhaseId at = open.back();
    open.pop_back();
    if (at != phase) stretch(times.delay_ns[at]);
    stretch(times.duration_ns[at]);
    stretch(times.tail_ns[at]);
    open.insert(open.end(), replay.children()[at].begin(), replay.children()[at].end());
  }
}

}  // namespace gordian
