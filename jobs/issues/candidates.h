// SPDX-License-Identifier: Apache-2.0
// Each kind of issue, before the comparison: all candidates with any gain.
#pragma once

#include <span>
#include <vector>

#include "jobs/issues/groups.h"
#include "jobs/issues/issues.h"
#include "jobs/issues/replay.h"

namespace gordian {

struct IssueInput {
  const Job& job;
  const Attribution& attribution;
  const Bottlenecks& bottlenecks;
  const IssueOptions& options;
  std::span<const MeasuredUse> measured;
  const Replay& replay;
};

std::vector<Issue> BottleneckIssues(const IssueInput& input);
std::vector<Issue> ImbalanceIssues(const IssueInput& input, std::span<const GroupLevel> levels);
std::vector<Issue> OutlierIssues(const IssueInput& input, std::span<const GroupLevel> levels);

// `path` is the replay's critical path.
std::vector<Issue> GapIssues(const IssueInput& input, const CriticalPath& path);

// Which of these durations stand far above all others.
std::vector<bool> FarAbove(std::span<const int64_t> durations_ns, const IssueOptions& options = {});

// Replays with these times; sets the issue's gain, which lies in [0, 1).
Replayed Judge(const Replay& replay, const ReplayTimes& times, Issue& issue);
// Sorts the issue's phases and keeps the first `max_phases`.
void RankPhases(size_t max_phases, Issue& issue);
void JudgeConfidence(const IssueInput& input, const ReplayTrust& trust, Issue& issue);

}  // namespace gordian
