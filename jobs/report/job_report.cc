// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/job_report.h"

#include <utility>

#include "jobs/learning/learn_rules.h"
#include "jobs/report/issue_findings.h"
#include "jobs/report/job_tables.h"

namespace gordian {

absl::StatusOr<JobAnalysis> AnalyzeJob(Job job, std::vector<MeasuredUse> measured,
                                       const JobOptions& options) {
  JobAnalysis analysis{.job = std::move(job), .options = options, .measured = std::move(measured)};
  const bool can_be_learned = CheckJob(analysis.job).ok() && options.attribution.slice_ns > 0;
  if (can_be_learned) {  // else attribution says what is wrong
    LearnRules(analysis.job.samples, options.attribution.slice_ns, analysis.job, analysis.measured);
  }
  auto attribution = Attribute(analysis.job, options.attribution, analysis.measured);
  if (!attribution.ok()) return attribution.status();
  analysis.attribution = *std::move(attribution);
  analysis.bottlenecks =
      FindBottlenecks(analysis.job, analysis.attribution, options.bottlenecks, analysis.measured);
  auto issues = FindIssues(analysis.job, analysis.attribution, analysis.bottlenecks, options.issues,
                           analysis.measured);
  if (!issues.ok()) return issues.status();
  analysis.issues = *std::move(issues);
  return analysis;
}

void AddJob(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report) {
  AddJobTables(analysis, recording, report);
  AddIssueFindings(analysis, recording, report);
}

void AddTimeslices(const JobAnalysis& analysis, pb::Report& report) {
  AddSeries(analysis, {}, report);
  AddHeldIntervals(analysis, kMostHeldIntervals, report);
}

}  // namespace gordian
