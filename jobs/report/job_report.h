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
// tells times.
inline constexpr size_t kMostPhasesInDetail = 2000;

// Fills the report's parts on phases, and puts a finding for each issue among those that are there:
// issues that cost much stand first, then limits of the program as a whole, then small issues.
// A finding about a phase whose threads waited for a member of a knot names that knot.
void AddJob(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report);

// Types without types within them that used some of the resource, those that used most first.
std::vector<PhaseTypeId> LeafTypesByUse(const JobAnalysis& analysis, ResourceId resource);

// Resources over time, for the page of `report`, in at most `most_bins` bins.
void AddSeries(const JobAnalysis& analysis, size_t most_bins, pb::PageData& page);

}  // namespace gordian
