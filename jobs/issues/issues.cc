// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/issues.h"

#include <algorithm>
#include <utility>

#include "jobs/issues/candidates.h"
#include "jobs/issues/thresholds.h"

namespace gordian {
namespace {

bool IsWithin(const JobModel& model, PhaseTypeId type, PhaseTypeId around) {
  for (; type != kNoId; type = model.types[type].parent) {
    if (type == around) return true;
  }
  return false;
}

// How many types between the phases compared and their scope are concurrent: 1 for the threads of
// a worker, 2 for the threads of all workers.
int LevelsOf(const JobModel& model, const Issue& issue) {
  int levels = 0;
  for (PhaseTypeId type = issue.type; type != issue.scope_type; type = model.types[type].parent)
    levels += model.types[type].repeat == PhaseRepeat::kConcurrent ? 1 : 0;
  return levels;
}

// Whether `narrow` tells the same as `wide`, more exactly: of one type of phase rather than of all;
// of a phase within; of workers, or of the threads of one worker, rather than of all threads of
// all.
bool IsNarrower(const JobModel& model, const Issue& narrow, const Issue& wide) {
  if (narrow.kind != wide.kind || narrow.resources != wide.resources) return false;
  if (narrow.kind == IssueKind::kBottleneck || narrow.kind == IssueKind::kGaps)
    return narrow.type != kNoId && wide.type == kNoId;
  if (narrow.type == wide.type && narrow.scope_type == wide.scope_type) return false;
  if (!IsWithin(model, narrow.scope_type, wide.scope_type)) return false;
  const int levels = LevelsOf(model, narrow);
  const int levels_of_wide = LevelsOf(model, wide);
  if (levels > levels_of_wide) return false;
  return IsWithin(model, narrow.type, wide.type) ||
         (levels < levels_of_wide && IsWithin(model, wide.type, narrow.type));
}

// A job cannot be "spread wider" as a whole, only its kinds of phases can, each in its way. So the
// issue is told for each kind, and for all together only if no single kind is worth it.
bool IsTheirSum(const Issue& wide) {
  return wide.kind == IssueKind::kBottleneck && wide.type == kNoId &&
         HoldOf(wide) == Hold::kSelfLimited;
}

void KeepTheNarrowest(const JobModel& model, double stands_for, std::vector<Issue>& issues) {
  std::vector<bool> redundant(issues.size(), false);
  for (size_t wide = 0; wide < issues.size(); ++wide) {
    for (const Issue& narrow : issues) {
      if (!IsNarrower(model, narrow, issues[wide])) continue;
      if (IsTheirSum(issues[wide]) || narrow.gain >= stands_for * issues[wide].gain)
        redundant[wide] = true;
    }
  }
  std::vector<Issue> kept;
  for (size_t i = 0; i < issues.size(); ++i) {
    if (!redundant[i]) kept.push_back(std::move(issues[i]));
  }
  issues = std::move(kept);
}

ReplayTrust TrustIn(const Job& job, const Replay& replay, const CriticalPath& path) {
  ReplayTrust trust;
  if (job.phases.empty()) return trust;
  const Phase& root = job.phases[0];
  trust.recorded_ns = static_cast<int64_t>(Range{root.start_ns, root.end_ns}.size());
  trust.replayed_ns = replay.makespan_ns();
  trust.without_delays_ns = replay.makespan_without_delays_ns();
  trust.contradicted = replay.contradicted();
  for (const CriticalStep& step : path.steps) {
    if (step.part != CriticalStep::Part::kDuration) trust.delays_on_path_ns += step.length_ns;
  }
  return trust;
}

}  // namespace

Hold HoldOf(const Issue& issue) {
  if (issue.blocked_ns >= std::max(issue.saturated_ns, issue.self_limited_ns))
    return Hold::kBlocked;
  return issue.self_limited_ns > issue.saturated_ns ? Hold::kSelfLimited : Hold::kSaturated;
}

Replayed Judge(const Replay& replay, const ReplayTimes& times, Issue& issue) {
  Replayed replayed = replay.Run(times);
  for (const PhaseId job : replay.jobs()) {
    const int64_t before_ns = replay.baseline().duration_ns(job);
    // Even if all of it goes, a job takes some time.
    const int64_t after_ns = std::max<int64_t>(1, replayed.duration_ns(job));
    if (before_ns <= 0 || after_ns >= before_ns) continue;
    const double gain = std::min(
        static_cast<double>(before_ns - after_ns) / static_cast<double>(before_ns), 1 - 1e-9);
    if (gain <= issue.gain) continue;
    issue.gain = gain;
    issue.gain_ns = before_ns - after_ns;
    issue.job = job;
  }
  return replayed;
}

void RankPhases(size_t max_phases, Issue& issue) {
  issue.phase_count = issue.phases.size();
  std::sort(issue.phases.begin(), issue.phases.end(), [](const IssuePhase& a, const IssuePhase& b) {
    return a.shorter_ns != b.shorter_ns ? a.shorter_ns > b.shorter_ns : a.phase < b.phase;
  });
  if (issue.phases.size() > max_phases) issue.phases.resize(max_phases);
}

absl::StatusOr<IssueReport> FindIssues(const Job& job, const Attribution& attribution,
                                       const Bottlenecks& bottlenecks, const IssueOptions& options,
                                       std::span<const MeasuredUse> measured) {
  const absl::Status status = CheckJob(job);
  if (!status.ok()) return status;
  IssueReport report;
  if (job.phases.empty()) return report;
  const Replay replay(job, options.replay);
  report.critical_path = FindCriticalPath(job, replay);
  report.trust = TrustIn(job, replay, report.critical_path);
  const IssueInput input = {job, attribution, bottlenecks, options, measured, replay};
  const std::vector<GroupLevel> levels = GroupLevels(job);
  report.issues = BottleneckIssues(input);
  for (std::vector<Issue> more : {ImbalanceIssues(input, levels), OutlierIssues(input, levels),
                                  GapIssues(input, report.critical_path)}) {
    for (Issue& issue : more) report.issues.push_back(std::move(issue));
  }
  std::erase_if(report.issues, [&](const Issue& issue) { return issue.gain < options.threshold; });
  KeepTheNarrowest(job.model, options.stands_for, report.issues);
  for (Issue& issue : report.issues) JudgeConfidence(input, report.trust, issue);
  std::stable_sort(report.issues.begin(), report.issues.end(), [](const Issue& a, const Issue& b) {
    return a.gain * a.confidence > b.gain * b.confidence;
  });
  return report;
}

}  // namespace gordian
