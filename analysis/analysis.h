// SPDX-License-Identifier: Apache-2.0
// The analysis: from a recording to a finished report.
//
//   read          files -> what every thread did at every moment           analysis/recording.h
//   suggestions   where threads seem to spin, or are woken for nothing     analyzer/suggestions
//   waits         which thread waits for which, and when                   analyzer/waits
//   graph         how much these waits weigh, also by windows of time      analyzer/graph
//   merge         similar threads drawn together                           analyzer/graph
//   findings      what holds the throughput, and in how many eighths       analyzer/findings
//   job path      the critical path of a job of short-lived processes      path/job_path.h
//   details       nodes, users of the CPUs, counters, code                 report
//   predictions   what the findings' fixes would gain, if asked for        whatif
//   phases        those of a job, if asked for                             jobs
//
// Usage:
//   auto analysis = Analysis::Run("trace", {.target = {.comms = {"postgres"}}});
//   if (!analysis.ok()) …                    // its message is a line for the user
//   analysis->report().findings(0).title();
//
// Each stage is done once, and its result is kept for all later questions. The same recording and
// options give the same report, to the last digit, for any number of threads. Memory: mostly the
// timeline, up to 24 bytes for each event; beyond a limit it lies in files (read_options.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "analysis/recording.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/kept/kept_sums.h"
#include "analyzer/model/model.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/wait_things.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/sums/window_sums.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"
#include "jobs/report/job_report.h"
#include "report/edge_listing.h"
#include "report/memory_limits.h"
#include "report/time_range.h"
#include "report/weighted_stacks.h"
#include "requests/requests.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"
#include "schema/whatif.pb.h"
#include "whatif/ask/ask.h"

namespace gordian {

class Analysis {
 public:
  // Of a session's folder, or of one with those of many nodes. Cancelled if it was stopped before
  // there was anything to analyze.
  static absl::StatusOr<Analysis> Run(const std::string& directory,
                                      const AnalysisOptions& options = {},
                                      const AnalysisProgress& progress = {});
  // Of a recording that is read already.
  static absl::StatusOr<Analysis> Run(LoadedRecording recording,
                                      const AnalysisOptions& options = {},
                                      const AnalysisProgress& progress = {});
  // Of a job without a recording: only logs and samples tell of it, and only report() and Page()
  // may be called.
  static absl::StatusOr<Analysis> OfJob(const JobRequest& job);

  const pb::Report& report() const { return report_; }

  // Keeps the timeline, and the sums if they are of the whole recording, in the store that the
  // options named; nothing that is there already, and nothing if an option changed the timeline or
  // the analysis was stopped. Call it behind all else: it takes time. A failure is worth a line for
  // the user.
  absl::Status KeepStages() const;
  // Adds the phases of a job to the report, as if the options had asked for it. Once at most, and
  // before anybody else looks at the report. The errors of reading the job; then nothing is added.
  absl::Status TellPhases(JobRequest request);
  bool is_from_store() const { return recording_.is_from_store; }  // the timeline

  // The results of the stages, in their order.
  const LoadedRecording& recording() const { return recording_; }
  int threads() const { return threads_; }  // to work with, as it was asked for
  const Timeline& timeline() const { return *recording_.timeline; }
  const Timeline* timeline_or_null() const { return recording_.timeline.get(); }  // OfJob has none
  const JoinedNodes* nodes() const {
    return recording_.nodes.get();
  }  // null for one node's
     // recording
  const Code& code() const { return code_; }
  const TimeRange& range() const { return range_; }  // that was analyzed
  // It was told to stop before all was read and predicted: its report is about a part, or tells
  // less.
  bool stopped() const { return stopped_; }
  const Suggestions& suggestions() const { return suggestions_; }
  const Waits& waits() const { return *waits_; }
  const WaitForGraph& wait_for_graph() const { return graph_; }
  const MergedGraph& merged_graph() const { return merged_; }
  const StackSums& stacks() const { return stacks_; }
  // By windows of time: of the whole recording if these are kept, else of the range.
  WindowSumsView window_sums() const { return sums(); }
  const JobAnalysis* job() const { return job_.get(); }  // null if no phases were asked for

  // By thread: whether it is of the target that the report judges.
  std::vector<uint8_t> TargetThreads() const;

  // Drawings: where threads waited and ran and how long, and all of the HTML page.
  std::vector<WeightedStack> Stacks() const { return WeightedStacks(report_, stacks_, code_); }
  pb::PageData Page() const;
  // The stacks of the edges that match. NotFound if no edge matches, or there is no stack at all.
  absl::StatusOr<pb::EdgeStackListing> StacksOf(const EdgeFilter& filter) const;
  // The gain of a change (whatif/ask/ask.h). The recording's folder must still be there.
  // `on_replay` as in AskWhatIf.
  absl::StatusOr<pb::WhatIf> Ask(
      const WhatIfRequest& request, std::function<bool()> on_replay = [] { return true; }) const;
  // When events happened that count as throughput, within the range. Likewise.
  absl::StatusOr<ProgressTimes> TimesOf(const std::string& progress) const;
  // Who waits for whom in a part of the range, as wait_for_graph() for all of it.
  WaitForGraph GraphOfPart(const TimeRange& part) const;
  // The edges and findings of a part of the range, on the report's vertices and for its target;
  // with the options of the analysis.
  absl::StatusOr<pb::Report> ReportOnPart(const TimeRange& part,
                                          const AnalysisOptions& options) const;

 private:
  explicit Analysis(LoadedRecording recording, int threads)
      : recording_(std::move(recording)), threads_(threads) {}

  // All of them, in their order.
  absl::Status RunStages(const AnalysisOptions& options, const AnalysisProgress& progress);
  void ReadNames();
  absl::Status TakeCapacities(const CapacityOptions& options);
  absl::Status ChooseRange(const RangeOptions& options);
  void FindPlacesForProbes(bool assume_false_wakeups);
  void CollectWaits(bool merge_short_lived);
  absl::Status WeighWaits(const SweepElsewhere& sweep_elsewhere, const Progress& progress);
  absl::Status MergeThreads(GraphOptions options);
  void LookAtParts(const FindingOptions& options);
  LongestPause LongestPauseOfRange() const;
  std::vector<uint64_t> BordersOfParts() const;
  double SumBytesPerEvent() const;
  bool IsWhole(const TimeRange& range) const;
  bool IsOfWholeRecording() const { return IsWhole(range_); }
  WindowSumsView sums() const { return kept_sums_ ? kept_sums_->view() : own_sums_.view(); }
  void TellJobPath();
  void TellNodes();
  void TellResources();
  void TellMemoryShortages();
  void TellUsersOfCpus();
  void TellCounters();
  void TellCode();
  // The requests of the range, and the part of it that questions are about.
  struct FollowedLoad {
    FoundRequests found;
    TimeRange range;
  };
  FollowedLoad FollowLoad() const;
  bool IsToBeOfLoad(const AnalysisOptions& options) const;
  void TellRequests();
  const RequestWalk& WalkOfRequests();
  void PredictFixes(const AnalysisOptions& options, const Progress& progress);

  StackSums SumStacks(std::span<const uint32_t> vertex_of_entity) const;
  // `part` is the excerpt of a range; without one the whole timeline counts.
  AnalyzedRecording Analyzed(const Timeline* part = nullptr) const;
  // Nothing if the range is all of the recording.
  std::optional<Timeline> PartOf(const TimeRange& range) const;

  LoadedRecording recording_;
  int threads_ = 0;
  uint64_t memory_bytes_ = 0;
  Code code_;
  bool symbols_unreadable_ = false;
  bool stopped_ = false;
  ToldCapacities capacities_;
  TimeRange range_;
  bool is_of_load_ = false;  // nobody asked for that range: requests came only then
  Suggestions suggestions_;
  uint64_t assumed_false_wakeups_ = 0;
  std::vector<MemoryShortage> memory_shortages_;
  std::unique_ptr<const Waits> waits_;  // of the timeline, which keeps its place
  bool merges_short_lived_ = true;
  bool is_timeline_changed_ = false;   // by options, since it was read
  WindowSums own_sums_;                // of the waits within the range, unless …
  std::optional<KeptSums> kept_sums_;  // … those of the whole recording are kept
  WaitForGraph graph_;
  MergedGraph merged_;
  pb::Report report_;
  StackSums stacks_;
  WaitThings wait_things_;
  std::unique_ptr<const JobAnalysis> job_;
  std::unique_ptr<const FollowedLoad> load_;  // until fixes are predicted, or for questions
  std::unique_ptr<const RequestWalk> walk_;   // of these requests, as long as they are there
};

}  // namespace gordian
