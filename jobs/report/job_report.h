// SPDX-License-Identifier: Apache-2.0
// The analysis of a job's phases as a whole, and its part of a report.
//
//   job + measured use -> attribution -> bottlenecks -> issues by replay -> report
//                                                    knots of the recording ^
//
// Usage:
//   auto analysis = AnalyzeJob(std::move(job), {});
//   AddJob(*analysis, recording, report);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/attribution/attribution.h"
#include "jobs/bottlenecks/bottlenecks.h"
#include "jobs/issues/issues.h"
#include "jobs/job/job.h"
#include "jobs/report/thresholds.h"
#include "jobs/sources/log_reader.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Each is a threshold of jobs/report/thresholds.h, which says what it does.
struct TellingOptions {
  double hardly_used = kHardlyUsed;
  double least_shorter = kLeastShorter;
};

struct JobOptions {
  AttributionOptions attribution;
  BottleneckOptions bottlenecks;
  IssueOptions issues;
  TellingOptions telling;
  LogThresholds logs;  // of the reading, before the analysis; told with the others
};

struct JobAnalysis {
  Job job;
  JobOptions options;
  std::vector<MeasuredUse> measured;
  Attribution attribution;
  Bottlenecks bottlenecks;
  IssueReport issues;
};

absl::StatusOr<JobAnalysis> AnalyzeJob(Job job, std::vector<MeasuredUse> measured,
                                       const JobOptions& options);

// The recording the job ran in, if there is one; its times are then the job's.
struct JobRecording {
  const Timeline* timeline = nullptr;
  std::span<const uint32_t> vertex_of_entity;
};

// The longest phases, so many: a report tells the use and bottlenecks of each. Of all phases it
// tells times. Nobody would read a report of thousands of phases with a row for each resource and
// way to be held; --attribution and a smaller job show the rest.
inline constexpr size_t kMostPhasesInDetail = 2000;
std::vector<bool> PhasesInDetail(const Job& job);  // by phase

// Fills the report's parts on phases, and puts a finding for each issue among those that are there:
// issues that cost much stand first, then limits of the program as a whole, then small issues.
// A finding about a phase whose threads waited for a member of a knot names that knot.
void AddJob(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report);

// Types without types within them that used some of the resource, those that used most first.
std::vector<PhaseTypeId> LeafTypesByUse(const JobAnalysis& analysis, ResourceId resource);

// Bounds of what a report tells over time, so that JSON and pages stay some MB large.
struct SeriesLimits {
  size_t bins = 2000;       // of each resource
  size_t numbers = 500000;  // in all series together, about
};
// Resources over time, in bins of one or more timeslices.
void AddSeries(const JobAnalysis& analysis, const SeriesLimits& limits, pb::Report& report);
// When phases were held by which resource: about `most` intervals, with gaps closed where it has
// to.
inline constexpr size_t kMostHeldIntervals = 20000;
void AddHeldIntervals(const JobAnalysis& analysis, size_t most, pb::Report& report);
// Both. They are dear to make, so only outputs that write them ask for them.
void AddTimeslices(const JobAnalysis& analysis, pb::Report& report);

}  // namespace gordian
