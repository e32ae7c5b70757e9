// SPDX-License-Identifier: Apache-2.0
// Time on the job's critical path in which no phase ran: before a phase that nothing known held up
// any more, or between the last phase within another and that one's end. Whatever happened then (a
// scheduler, a step that nobody logs, a wait for containers) belongs to no phase, so no other issue
// can tell it.
#include <algorithm>
#include <map>
#include <utility>

#include "jobs/issues/candidates.h"

namespace gordian {
namespace {

using Part = CriticalStep::Part;

// Without these gaps; kNoId: without any.
ReplayTimes Without(const IssueInput& input, PhaseTypeId type, bool at_end) {
  ReplayTimes times = input.replay.times();
  for (PhaseId phase = 0; phase < input.job.phases.size(); ++phase) {
    if (type != kNoId && input.job.phases[phase].type != type) continue;
    if ((type == kNoId || !at_end) && !input.replay.begins_job(phase))
      times.delay_ns[phase] = std::min<int64_t>(0, times.delay_ns[phase]);
    if (type == kNoId || at_end) times.tail_ns[phase] = std::min<int64_t>(0, times.tail_ns[phase]);
  }
  return times;
}

}  // namespace

std::vector<Issue> GapIssues(const IssueInput& input, const CriticalPath& path) {
  const ReplayTimes& times = input.replay.times();
  std::map<std::pair<PhaseTypeId, bool>, Issue> of_types;
  const auto issue_of = [&](PhaseId phase, bool at_end) -> Issue& {
    return of_types[{input.job.phases[phase].type, at_end}];
  };
  // Also where no gap lies on the path: of two paths as long, either may be the critical one.
  for (PhaseId phase = 0; phase < input.job.phases.size(); ++phase) {
    if (times.delay_ns[phase] > 0 && !input.replay.begins_job(phase)) issue_of(phase, false);
    if (times.tail_ns[phase] > 0) issue_of(phase, true);
  }
  Issue all;
  for (const CriticalStep& step : path.steps) {
    if (step.part == Part::kDuration || step.length_ns <= 0) continue;
    const bool at_end = step.part == Part::kTail;
    if (!at_end && input.replay.begins_job(step.phase)) continue;
    const IssuePhase gap = {
        .phase = step.phase, .shorter_ns = step.length_ns, .gap_at_end = at_end};
    issue_of(step.phase, at_end).phases.push_back(gap);
    all.phases.push_back(gap);
  }
  std::vector<Issue> issues;
  for (auto& [key, issue] : of_types) {
    issue.type = key.first;
    Judge(input.replay, Without(input, key.first, key.second), issue);
    issues.push_back(std::move(issue));
  }
  if (issues.size() > 1) {
    Judge(input.replay, Without(input, kNoId, false), all);
    issues.push_back(std::move(all));
  }
  for (Issue& issue : issues) {
    issue.kind = IssueKind::kGaps;
    RankPhases(input.options.max_phases, issue);
  }
  return issues;
}

}  // namespace gordian
