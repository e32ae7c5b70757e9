// One recording, analyzed: from its folder to the report and whatever is drawn from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/wait_things.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"
#include "cli/analysis_arguments.h"
#include "cli/job_analysis.h"
#include "cli/read_recording.h"
#include "output/perfetto_trace.h"
#include "report/edge_listing.h"
#include "report/time_range.h"
#include "report/weighted_stacks.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

struct AnalysisOptions {
  TargetArguments target;
  GraphArguments graph;
  FindingArguments finding;
  TimeRangeArguments range;
};

class Analysis {
 public:
  static absl::StatusOr<Analysis> Run(const std::string& directory, const AnalysisOptions& options);
  // Of a job that nobody recorded: only logs and samples tell of it.
  static absl::StatusOr<Analysis> OfJob(const JobArguments& arguments);

  // What the findings' natural fixes would gain, by replays of the recording. `command` is how
  // gordian whatif would be asked about it.
  void Predict(const std::string& command);

  // Puts a job's phases beside what the recording tells.
  absl::Status AddPhases(const JobArguments& arguments);

  const pb::Report& report() const { return report_; }
  const Code& code() const { return code_; }
  const Timeline& timeline() const { return *timeline_; }
  const StackSums& stacks() const { return stacks_; }
  // By entity, short-lived threads and their virtual ones included.
  const std::vector<uint32_t>& vertex_of_entity() const { return vertex_of_entity_; }
  // Where threads waited and ran, and how long.
  std::vector<WeightedStack> Stacks() const { return WeightedStacks(report_, stacks_, code_); }
  // What the HTML page is drawn from.
  pb::PageData Page() const;
  // The stacks of the edges that match. NotFound if there is none, or no stack at all.
  absl::StatusOr<pb::EdgeStackListing> StacksOf(const EdgeFilter& filter) const;
  void WritePerfetto(const PerfettoTrace::Sink& sink) const;

 private:
  Analysis() = default;
  std::vector<CodeProfile> ProfileCode() const;
  void AddStacks();
  void CountStacks();

  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<const Waits> waits_;     // of timeline_, which has its place
  std::vector<JobSession> node_sessions_;  // of a recording of many nodes
  TimeRange range_;
  int threads_ = 0;
  std::vector<uint32_t> vertex_of_entity_;
  pb::Report report_;
  StackSums stacks_;
  WaitThings wait_things_;
  Code code_;
  Suggestions suggestions_;
  std::unique_ptr<JobAnalysis> job_;  // null without phases
};

}  // namespace gordian
