// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/capacities.h"
#include "analysis/early_looks.h"
#include "analysis/kept_stages.h"
#include "analysis/part_graph.h"
#include "analysis/resolved_options.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/thread_halves.h"
#include "analyzer/graph/wait_for_graph.h"
#include "base/parallel.h"
#include "report/disk_readers.h"
#include "report/held_back_requests.h"
#include "report/report_counters.h"
#include "requests/requests.h"

namespace gordian {
namespace {

// Each holds a graph of all threads. With as many as there are CPUs, a recording of a million
// threads would need several times the memory that its whole graph and report need.
constexpr int kMostPartsAtOnce = 2;

}  // namespace

absl::StatusOr<Analysis> Analysis::Run(const std::string& directory, const AnalysisOptions& options,
                                       const AnalysisProgress& progress) {
  EarlyLooks looks(directory, options);
  ReadOptions reading = options.reading();
  reading.keep_reading = [&](const ReadSoFar& so_far) {
    looks.At(so_far);
    return !options.stop_asked || !options.stop_asked();
  };
  auto recording = ReadRecording(directory, reading, BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  return Run(*std::move(recording), options, progress);
}

absl::StatusOr<Analysis> Analysis::Run(LoadedRecording recording, const AnalysisOptions& options,
                                       const AnalysisProgress& progress) {
  Analysis analysis(std::move(recording), options.threads);
  if (absl::Status status = analysis.RunStages(options, progress); !status.ok()) return status;
  if (!analysis.IsToBeOfLoad(options)) return analysis;
  // All shares are of a time in which there was no load. What is a job is known behind the graph,
  // so that comes twice.
  AnalysisOptions of_load = options;
  const uint64_t start_ns = analysis.timeline().start_ns();
  const TimeRange& load = analysis.load_->range;
  of_load.range = {.from_ns = load.from_ns - start_ns, .to_ns = load.to_ns - start_ns};
  Analysis again(std::move(analysis.recording_), options.threads);
  again.is_of_load_ = true;
  if (absl::Status status = again.RunStages(of_load, progress); !status.ok()) return status;
  return again;
}

// Of many nodes each rank reads its own, and what was told of them must be of the same time.
bool Analysis::IsToBeOfLoad(const AnalysisOptions& options) const {
  const bool is_told = options.range.from_ns != 0 || options.range.to_ns != RangeOptions().to_ns;
  return load_ != nullptr && load_->range != range_ && !is_told && !is_of_load_ &&
         nodes() == nullptr && !options.sweep_elsewhere && !is_timeline_changed_;
}

absl::StatusOr<Analysis> Analysis::OfJob(const JobRequest& job) {
  Analysis analysis({}, /*threads=*/0);
  analysis.report_.set_report_version(1);
  if (absl::Status status = analysis.TellPhases(job); !status.ok()) return status;
  return analysis;
}

absl::Status Analysis::RunStages(const AnalysisOptions& options, const AnalysisProgress& progress) {
  memory_bytes_ = options.memory.bytes;
  stopped_ = timeline().unread_ns() > 0;
  ReadNames();
  if (absl::Status status = TakeCapacities(options.capacities); !status.ok()) return status;
  if (absl::Status status = ChooseRange(options.range); !status.ok()) return status;
  auto merging = ResolveMerging(options.graph);
  if (!merging.ok()) return merging.status();
  const auto finding = ResolveFindings(options, timeline());
  if (!finding.ok()) return finding.status();

  BeginStage(progress, AnalysisStage::kSuggestions);
  FindPlacesForProbes(options.graph.assume_false_wakeups);

  BeginStage(progress, AnalysisStage::kWaits);
  CollectWaits(!options.graph.no_merge);

  if (absl::Status status =
          WeighWaits(options.sweep_elsewhere, BeginStage(progress, AnalysisStage::kGraph));
      !status.ok())
    return status;
  if (absl::Status status = MarkNamedTargets(*finding, graph_); !status.ok()) return status;

  BeginStage(progress, AnalysisStage::kMerging);
  if (absl::Status status = MergeThreads(*std::move(merging)); !status.ok()) return status;

  BeginStage(progress, AnalysisStage::kFindings);
  report_ = Judge(graph_, merged_, *finding);
  LookAtParts(*finding);
  DoubtAfterALongPause(LongestPauseOfRange(), report_);
  TellJobPath();

  BeginStage(progress, AnalysisStage::kDetails);
  TellNodes();
  TellResources();
  TellUsersOfCpus();
  AskReadersForTheirLock(*waits_, merged_.vertex_of_entity, range_, report_);
  if (options.predictions || options.questions) TellRequests();
  if (IsToBeOfLoad(options)) return absl::OkStatus();
  TellCounters();
  TellCode();
  TellMemoryShortages();
  TellHeldBackRequests(*waits_, merged_.vertex_of_entity, range_, report_);

  if (options.predictions) PredictFixes(options, BeginStage(progress, AnalysisStage::kPredictions));
  if (stopped_) AddCounter("analysis_stopped", 1, report_);

  if (!options.job) return absl::OkStatus();
  BeginStage(progress, AnalysisStage::kPhases);
  return TellPhases(*options.job);
}

void Analysis::ReadNames() { code_ = ReadCode(recording_, symbols_unreadable_); }

absl::Status Analysis::TakeCapacities(const CapacityOptions& options) {
  auto told = ParseCapacities(options);
  if (!told.ok()) return told.status();
  capacities_ = *std::move(told);
  is_timeline_changed_ |= !options.links.empty();
  return SetCapacities(options, *recording_.timeline);
}

absl::Status Analysis::ChooseRange(const RangeOptions& options) {
  const auto range = ResolveRange(options, recording_);
  if (range.ok()) range_ = *range;
  if (!range.ok() && stopped_)
    return absl::CancelledError("stopped before anything of the time from --from on was read");
  return range.status();
}

// Suggestions change nothing, unless the user asked to join likely false wakeups.
void Analysis::FindPlacesForProbes(bool assume_false_wakeups) {
  suggestions_ =
      FindSuggestions(timeline(), code_, {.from_ns = range_.from_ns, .to_ns = range_.to_ns});
  if (!assume_false_wakeups) return;
  assumed_false_wakeups_ = recording_.timeline->JoinWaits(suggestions_.after_false_wakeups);
  is_timeline_changed_ = true;
}

void Analysis::CollectWaits(bool merge_short_lived) {
  merges_short_lived_ = merge_short_lived;
  waits_ = std::make_unique<const Waits>(
      timeline(), WaitsOptions{.merge_short_lived = merge_short_lived, .threads = threads_});
}

// All windows are swept here, or were in an earlier analysis; the whole and its parts are sums of
// them.
absl::Status Analysis::WeighWaits(const SweepElsewhere& sweep_elsewhere, const Progress& progress) {
  if (recording_.kept != nullptr && recording_.is_from_store && !is_timeline_changed_)
    kept_sums_ = recording_.kept->FindSums(merges_short_lived_);
  if (!kept_sums_) {
    const WindowSumOptions options = {.from_ns = range_.from_ns,
                                      .to_ns = range_.to_ns,
                                      .kept_borders_ns = BordersOfParts(),
                                      .bytes_per_event = SumBytesPerEvent(),
                                      .threads = threads_};
    if (sweep_elsewhere && !is_timeline_changed_) {
      auto sums = sweep_elsewhere(*waits_, options);
      if (!sums.ok()) return sums.status();
      own_sums_ = *std::move(sums);
    } else {
      own_sums_ = WindowSums(*waits_, options, progress);
    }
  }
  graph_ = GraphOver(*waits_, sums(),
                     {.from_ns = range_.from_ns, .to_ns = range_.to_ns, .threads = threads_});
  return absl::OkStatus();
}

// An eighth of the memory at most, however long the recording.
double Analysis::SumBytesPerEvent() const {
  const auto most = static_cast<double>(memory_bytes_) / 8;
  const auto events = static_cast<double>(std::max<uint64_t>(timeline().events(), 1));
  return std::min(WindowSumOptions().bytes_per_event, most / events);
}

bool Analysis::IsWhole(const TimeRange& range) const {
  return range.from_ns == timeline().start_ns() && range.to_ns == timeline().end_ns();
}

absl::Status Analysis::KeepStages() const {
  if (stopped_ || recording_.kept == nullptr || is_timeline_changed_) return absl::OkStatus();
  if (!recording_.is_from_store) {
    if (absl::Status status = recording_.kept->KeepRecording(recording_); !status.ok())
      return status;
  }
  if (kept_sums_ || !IsOfWholeRecording()) return absl::OkStatus();
  return recording_.kept->KeepSums(own_sums_.view(), merges_short_lived_);
}

// Their code tells some threads of like names apart: sums for that are by entity, while sums of the
// report are by vertex.
absl::Status Analysis::MergeThreads(GraphOptions options) {
  if (options.merge_similar && !timeline().stack_samples().empty()) {
    std::vector<uint32_t> entities(waits_->entities().size());
    std::iota(entities.begin(), entities.end(), 0u);
    options.code_profiles = CodeProfiles(SumStacks(entities), code_, entities.size());
  }
  options.halves = [this](std::span<const EntityId> threads) {
    return TimesInHalvesOf(*waits_, threads, range_.from_ns, range_.to_ns);
  };
  auto merged = BuildGraph(graph_, options);
  if (!merged.ok()) return merged.status();
  merged_ = *std::move(merged);
  return absl::OkStatus();
}

WaitForGraph Analysis::GraphOfPart(const TimeRange& part) const {
  return GraphOver(*waits_, sums(),
                   {.from_ns = part.from_ns, .to_ns = part.to_ns, .threads = threads_});
}

std::vector<uint64_t> Analysis::BordersOfParts() const {
  constexpr uint64_t kParts = 8;
  std::vector<uint64_t> borders_ns;
  const unsigned __int128 span_ns = range_.to_ns - range_.from_ns;
  for (uint64_t part = 0; part <= kParts; ++part)
    borders_ns.push_back(range_.from_ns + static_cast<uint64_t>(span_ns * part / kParts));
  return borders_ns;
}

// A limit limits all the time. The same target is judged in each eighth of the recording.
void Analysis::LookAtParts(const FindingOptions& options) {
  if (report_.findings().empty()) return;
  const std::vector<uint64_t> borders_ns = BordersOfParts();
  if (std::adjacent_find(borders_ns.begin(), borders_ns.end()) != borders_ns.end()) return;
  std::vector<PartJudgement> parts(borders_ns.size() - 1);
  std::array<PartGraph, kMostPartsAtOnce> graphs;  // by worker
  ParallelFor(
      std::min(ThreadCount(threads_), kMostPartsAtOnce), parts.size(), [&](size_t i, int worker) {
        PartGraph& part = graphs[static_cast<size_t>(worker)];
        MakePart(*waits_, sums(),
                 {.from_ns = borders_ns[i], .to_ns = borders_ns[i + 1], .threads = threads_},
                 report_, merged_, part);
        parts[i] = JudgePart(part.graph, part.merged, options);
      });
  graphs = {};
  DoubtUnsteadyFindings(HowFindingsFared(report_, parts), report_);
  // The allocator would keep what their graphs took, while what follows reads the recording anew.
  ::malloc_trim(0);
}

LongestPause Analysis::LongestPauseOfRange() const {
  const Pauses& pauses = timeline().pauses();
  const uint64_t from_ns = pauses.ClockTime(range_.from_ns);
  const uint64_t to_ns = std::max(pauses.ClockTime(range_.to_ns), from_ns);
  LongestPause longest{.of_ns = to_ns - from_ns};
  for (const auto& [begin_ns, end_ns] : pauses.Stretches()) {
    const uint64_t paused_from_ns = std::max(begin_ns, from_ns);
    const uint64_t paused_to_ns = std::min(end_ns, to_ns);
    if (paused_from_ns < paused_to_ns)
      longest.ns = std::max(longest.ns, paused_to_ns - paused_from_ns);
  }
  return longest;
}

StackSums Analysis::SumStacks(std::span<const uint32_t> vertex_of_entity) const {
  return {timeline(),
          *waits_,
          vertex_of_entity,
          {.from_ns = range_.from_ns, .to_ns = range_.to_ns, .threads = threads_}};
}

std::optional<Timeline> Analysis::PartOf(const TimeRange& range) const {
  if (IsWhole(range)) return std::nullopt;
  return timeline().Excerpt(range.from_ns, range.to_ns);
}

AnalyzedRecording Analysis::Analyzed(const Timeline* part) const {
  return {.timeline = part != nullptr ? *part : timeline(),
          .report = report_,
          .vertex_of_entity = merged_.vertex_of_entity,
          .stacks = stacks_,
          .code = code_};
}

}  // namespace gordian
