// SPDX-License-Identifier: Apache-2.0
// Properties of the replay and of the issues of any job.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "jobs/attribution/random_jobs.h"
#include "jobs/issues/issues.h"

namespace gordian {
namespace {

int64_t RecordedNs(const Job& job) {
  return static_cast<int64_t>(job.phases[0].end_ns - job.phases[0].start_ns);
}

IssueReport MustFind(const Job& job, const IssueOptions& options) {
  const absl::StatusOr<Attribution> attribution = Attribute(job, {});
  RC_ASSERT(attribution.ok());
  const Bottlenecks bottlenecks = FindBottlenecks(job, *attribution, {.full_ns = 10'000'000});
  absl::StatusOr<IssueReport> report = FindIssues(job, *attribution, bottlenecks, options);
  RC_ASSERT(report.ok());
  return *std::move(report);
}

RC_GTEST_PROP(ReplayProperty, WithNothingChangedItTakesAsLongAsRecorded, ()) {
  const Job job = RandomJob({.odd = *rc::gen::arbitrary<bool>()});
  const Replay replay(job, {.without_delays = *rc::gen::inRange(0, 12) / 10.0});
  RC_ASSERT(replay.makespan_ns() == RecordedNs(job));
  RC_ASSERT(Replay::Makespan(replay.Run(replay.times())) == RecordedNs(job));
}

RC_GTEST_PROP(ReplayProperty, ShorterPhasesNeverMakeTheJobLonger, ()) {
  const Job job = RandomJob({.odd = true});
  const Replay replay(job, {});
  ReplayTimes times = replay.times();
  for (int64_t& duration_ns : times.duration_ns)
    duration_ns = duration_ns * *rc::gen::inRange(0, 11) / 10;
  RC_ASSERT(Replay::Makespan(replay.Run(times)) <= RecordedNs(job));
}

RC_GTEST_PROP(ReplayProperty, TheCriticalPathAddsUpAndSlackIsHarmless, ()) {
  const Job job = RandomJob({.odd = false});
  const Replay replay(job, {});
  const CriticalPath path = FindCriticalPath(job, replay);
  int64_t sum_ns = 0;
  for (const CriticalStep& step : path.steps) sum_ns += step.length_ns;
  RC_ASSERT(sum_ns == RecordedNs(job));
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (!replay.children()[phase].empty()) continue;
    RC_ASSERT(path.slack_ns[phase] >= 0);
    ReplayTimes times = replay.times();
    times.duration_ns[phase] += path.slack_ns[phase];
    RC_ASSERT(Replay::Makespan(replay.Run(times)) == RecordedNs(job));
    times.duration_ns[phase] += 1;
    RC_ASSERT(Replay::Makespan(replay.Run(times)) == RecordedNs(job) + 1);
  }
}

RC_GTEST_PROP(IssuesProperty, GainsAreSharesOfTheMakespan, ()) {
  const Job job = RandomJob({.odd = *rc::gen::arbitrary<bool>()});
  IssueOptions options;
  options.threshold = 0;
  for (const Issue& issue : MustFind(job, options).issues) {
    RC_ASSERT(issue.gain >= 0);
    RC_ASSERT(issue.gain < 1);
    RC_ASSERT(issue.gain_ns <= RecordedNs(job));
    RC_ASSERT(issue.confidence > 0 && issue.confidence <= 1);
    RC_ASSERT(issue.phases.size() <= options.max_phases);
  }
}

RC_GTEST_PROP(IssuesProperty, TheOrderOfPhasesDoesNotMatter, ()) {
  const Job job = RandomJob({.odd = false});
  // Of phases of a type that start together, a replay must chain some before others on a place;
  // only their order decides which.
  for (size_t i = 1; i < job.phases.size(); ++i) {
    for (size_t j = 1; j < i; ++j)
      RC_PRE(job.phases[i].start_ns != job.phases[j].start_ns ||
             job.phases[i].type != job.phases[j].type);
  }
  IssueOptions options;
  options.threshold = 0;
  options.replay.tolerance_ns = 0;
  const auto gains = [&options](const Job& it) {
    std::vector<double> all;
    for (const Issue& issue : MustFind(it, options).issues) all.push_back(issue.gain);
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<double> here = gains(job);
  const std::vector<double> there = gains(Reorder(job).job);
  RC_ASSERT(here.size() == there.size());
  for (size_t i = 0; i < here.size(); ++i) RC_ASSERT(std::abs(here[i] - there[i]) < 1e-6);
}

}  // namespace
}  // namespace gordian
