// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/blocking_askers.h"
#include "analysis/capacities.h"
#include "analysis/early_looks.h"
#include "analysis/kept_stages.h"
#include "analysis/let_through_findings.h"
#include "analysis/node_versions.h"
#include "analysis/own_sleep_finding.h"
#include "analysis/part_graph.h"
#include "analysis/resolved_options.h"
#include "analysis/sent_by_clock_finding.h"
#include "analysis/sleep_of_requests_finding.h"
#include "analysis/target_answers.h"
#include "analysis/token_requests.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/thread_halves.h"
#include "analyzer/graph/wait_for_graph.h"
#include "base/parallel.h"
#include "jobs/report/measured_input.h"
#include "participation/quality.h"
#include "report/accept_queues.h"
#include "report/busy_interrupts.h"
#include "report/cluster_report.h"
#include "report/code_sentences.h"
#include "report/code_stacks.h"
#include "report/cpu_quotas.h"
#include "report/cpu_users.h"
#include "report/disk_readers.h"
#include "report/full_disks.h"
#include "report/held_back_requests.h"
#include "report/held_locks.h"
#include "report/highest_rates.h"
#include "report/job_path_report.h"
#include "report/locks_of_askers.h"
#include "report/machine.h"
#include "report/report_counters.h"
#include "report/spinning.h"
#include "report/suggested_probes.h"
#include "report/time_limits.h"
#include "report/turned_away.h"
#include "report/unseen_targets.h"
#include "requests/let_through.h"
#include "requests/requests.h"
#include "requests/sent_by_clock.h"
#include "requests/sleep_of_requests.h"
#include "whatif/predict_findings.h"
#include "words/clean_text.h"

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
  return analysis;
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

bool Analysis::IsOfWholeRecording() const {
  return range_.from_ns == timeline().start_ns() && range_.to_ns == timeline().end_ns();
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

void Analysis::TellJobPath() { AddJobPath(*waits_, graph_, merged_, range_, report_); }

void Analysis::TellNodes() {
  if (nodes() == nullptr) return;
  AddCluster(*nodes(), recording_.left_out, merged_.vertex_of_entity, report_);
  TellVersions(VersionsOf(recording_), report_);
}

// Quotas are told before the users of the CPUs: where a quota is the reason, no advice about free
// CPUs is due. Samples of many nodes are on clocks of their own, so a range of theirs would be a
// wrong one.
void Analysis::TellResources() {
  const AllSamples samples = ReadSamples(recording_);
  std::vector<CpuQuota> quotas;
  std::vector<InterruptLoad> interrupts;
  std::vector<SampledQueue> queues;
  std::vector<TurnedAway> turned_away;
  uint64_t malformed = 0;
  for (const NodeSamples& node : samples.nodes) {
    const ResourceReadings readings = ReadingsOf(node.blocks, capacities_);
    malformed += readings.invalid;
    const TimeRange range =
        nodes() == nullptr ? range_ : TimeRange{0, nodes()->nodes[node.node].read_until_ns};
    AddMachine(readings.all, node.name, range, report_);
    const auto append = [](auto some, auto& to) {
      std::move(some.begin(), some.end(), std::back_inserter(to));
    };
    append(QuotasOf(readings.all, node.node), quotas);
    append(InterruptLoadsOf(readings.all, node.node, range), interrupts);
    const SampledQueues sampled = AcceptQueuesOf(readings.all, node.node, range);
    append(MostlyFull(sampled), queues);
    turned_away.push_back(TurnedAwayOf(sampled, node.node));
    append(ShortagesOf(readings.all, node.node, range), memory_shortages_);
  }
  if (malformed > 0) AddCounter("resource_samples_malformed", malformed, report_);
  if (samples.unreadable > 0) AddCounter("resources_unreadable", samples.unreadable, report_);
  TellCpuQuotas(*waits_, merged_.vertex_of_entity, range_, quotas, report_);
  TellInterrupts(*waits_, merged_.vertex_of_entity, range_, interrupts, report_);
  TellFullDisks(report_);
  TellHighestRates(report_);
  TellFullQueues(*waits_, merged_.vertex_of_entity, range_, queues, report_);
  TellTurnedAway(*waits_, merged_.vertex_of_entity, range_, turned_away, report_);
}

// If only targets were recorded, the other users of the CPUs are not known.
void Analysis::TellUsersOfCpus() {
  if (timeline().session().chains_end_at_targets()) return;
  AddCpuUsers(*waits_, merged_.vertex_of_entity, timeline().cpus(), range_, threads_, report_);
}

std::vector<uint8_t> Analysis::TargetThreads() const {
  std::vector<uint8_t> is_target(timeline().thread_count());
  for (EntityId thread = 0; thread < is_target.size(); ++thread) {
    const auto vertex = static_cast<int>(merged_.vertex_of_entity[thread]);
    is_target[thread] = report_.vertices(vertex).target() ? 1 : 0;
  }
  return is_target;
}

void Analysis::TellCounters() {
  AddCounters(timeline(), graph_, merged_.vertex_of_entity, report_);
  TellUnseenTargets(timeline(), report_);
  if (nodes() != nullptr) {
    for (const NamedCount& count : ClusterCounts(*nodes(), recording_.left_out.size()))
      AddCounter(count.name, count.value, report_);
  }
  if (const std::vector<uint8_t> targets = TargetThreads(); MayBeWorthTelling(graph_, targets)) {
    const RecordingQuality quality =
        QualityOf(timeline(), targets, range_.from_ns, range_.to_ns, ThreadCount(threads_));
    for (const NamedCount& count : CountersOf(quality))
      AddCounter(count.name, count.value, report_);
  }
  if (symbols_unreadable_) AddCounter("symbols_unreadable", 1, report_);
  report_.set_assumed_false_wakeups(assumed_false_wakeups_);
}

void Analysis::TellCode() {
  if (timeline().stack_samples().empty()) return;
  stacks_ = SumStacks(merged_.vertex_of_entity);
  wait_things_ = WaitThings(timeline(), stacks_, range_.from_ns, range_.to_ns);
  AddCode(stacks_, code_, wait_things_, {}, report_);
  if (pb::Finding* const sleep = TellOwnSleep(report_); sleep != nullptr)
    gordian::TellCode(stacks_, code_, report_, *sleep);
  TellTimeLimits(report_);
  TellHeldLocks(report_);
  TellLocksOfAskers(report_);
  AddSuggestions(suggestions_.all, timeline(), code_, merged_.vertex_of_entity, range_, report_);
  TellSpinning(suggestions_.all, report_);
  AddStackCounters(stacks_, code_, report_);
  // The reasons of waits tell a sleep, and a call that waits for its answer, from an event loop.
  if (requests_ == nullptr || nodes() != nullptr) return;
  TellSentByClock(FindSentByClock(timeline(), *requests_, TargetThreads()),
                  merged_.vertex_of_entity, report_);
  AskForMoreBlockingAskers(report_, [this](const pb::RequestsLetThrough& way) {
    return AskersOf(way, FindLetThrough(timeline(), *requests_, WalkOfRequests(), range_.from_ns,
                                        range_.to_ns));
  });
}

// Behind the code, as the reasons of waits tell which are for memory.
void Analysis::TellMemoryShortages() {
  TellMemoryLimits(*waits_, merged_.vertex_of_entity, range_, memory_shortages_, report_);
}

// For predictions and questions, which need single packets, too.
void Analysis::TellRequests() {
  requests_ = std::make_unique<const FoundRequests>(FollowedRequests(recording_, range_, threads_));
  const FoundRequests& found = *requests_;
  // On many nodes requests cross clocks that are known to within a bound, which may be longer than
  // a request: how many are open at once is not known then.
  if (found.requests.empty() || nodes() != nullptr) return;
  const RequestWalk& walk = WalkOfRequests();
  const std::vector<LetThrough> let_through =
      FindLetThrough(timeline(), found, walk, range_.from_ns, range_.to_ns);
  const SleepOfRequests sleep = FindSleepOfRequests(
      found, walk, TargetThreads(), SearchedNs(found, range_.from_ns, range_.to_ns));
  if (!TellOwnTimer(sleep, merged_.vertex_of_entity, report_))
    TellLetThrough(found, walk, let_through, merged_.vertex_of_entity, report_);
  TellSleepOfRequests(sleep, let_through, merged_.vertex_of_entity, report_);
  TellNarrowWay(found, let_through, merged_.vertex_of_entity, report_);
  TellFullWay(found, let_through, merged_.vertex_of_entity, report_);
}

// To set one up walks back from every request, so all that need one share it.
const RequestWalk& Analysis::WalkOfRequests() {
  if (walk_ == nullptr) walk_ = std::make_unique<const RequestWalk>(timeline(), *requests_);
  return *walk_;
}

void Analysis::PredictFixes(const AnalysisOptions& options, const Progress& progress) {
  PredictionOptions prediction{.command = options.predictions->command,
                               .most_replayed_steps = options.predictions->most_replayed_steps};
  if (progress) prediction.progress = progress;
  if (options.stop_asked) prediction.stop_asked = options.stop_asked;
  const std::optional<Timeline> part = Part();
  absl::StatusOr<TokenModel> tokens = absl::NotFoundError("no requests were found");
  TargetAnswers answers;
  if (requests_ != nullptr && !LimitedByQuota(report_)) {
    const RequestWalk& walk = WalkOfRequests();
    tokens = TokensOfRequests({.timeline = part ? *part : timeline(),
                               .found = *requests_,
                               .walk = walk,
                               .vertex_of_entity = merged_.vertex_of_entity,
                               .stacks = stacks_,
                               .code = code_});
    prediction.requests = &tokens;
    answers = AnswersOfTarget(timeline(), *requests_, TargetThreads());
  }
  walk_.reset();
  requests_.reset();
  AnalyzedRecording analyzed = Analyzed(part ? &*part : nullptr);
  analyzed.answers = &answers;
  stopped_ |= PredictFindings(analyzed, prediction, report_).stopped;
}

absl::Status Analysis::TellPhases(JobRequest request) {
  request.inputs.capacities = capacities_;
  auto reading = ReadJobOf(request, JobSessionsOf(recording_));
  if (!reading.ok()) return reading.status();
  JobOptions options = request.options;
  options.attribution.slice_ns = request.slice_ns();
  options.attribution.threads = threads_;
  std::vector<MeasuredUse> measured;
  if (recording_.timeline)
    measured = MeasureJob(timeline(), reading->job, options.attribution.slice_ns, threads_);
  auto job = AnalyzeJob(std::move(reading->job), std::move(measured), options);
  if (!job.ok()) return job.status();
  AddJob(*job,
         {.timeline = recording_.timeline.get(), .vertex_of_entity = merged_.vertex_of_entity},
         report_);
  for (const TalliedCounter& counter : reading->counters) {
    pb::ReportCounter& added = AddCounter(counter.name, counter.value, report_);
    for (const std::string& example : counter.examples) added.add_examples(CleanText(example));
  }
  for (const AttributionCount& count : job->attribution.counts)
    AddCounter(count.name, count.value, report_);
  job_ = std::make_unique<const JobAnalysis>(*std::move(job));
  return absl::OkStatus();
}

StackSums Analysis::SumStacks(std::span<const uint32_t> vertex_of_entity) const {
  return {timeline(),
          *waits_,
          vertex_of_entity,
          {.from_ns = range_.from_ns, .to_ns = range_.to_ns, .threads = threads_}};
}

std::optional<Timeline> Analysis::Part() const {
  if (IsOfWholeRecording()) return std::nullopt;
  return timeline().Excerpt(range_.from_ns, range_.to_ns);
}

AnalyzedRecording Analysis::Analyzed(const Timeline* part) const {
  return {.timeline = part != nullptr ? *part : timeline(),
          .report = report_,
          .vertex_of_entity = merged_.vertex_of_entity,
          .stacks = stacks_,
          .code = code_};
}

}  // namespace gordian
