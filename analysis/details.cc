// SPDX-License-Identifier: Apache-2.0
// What a report tells beside its findings' graph: nodes, resources, counters, code, requests, what
// fixes would gain, and phases.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/blocking_askers.h"
#include "analysis/let_through_findings.h"
#include "analysis/load_range.h"
#include "analysis/node_versions.h"
#include "analysis/own_sleep_finding.h"
#include "analysis/sent_by_clock_finding.h"
#include "analysis/sleep_of_requests_finding.h"
#include "analysis/target_answers.h"
#include "analysis/token_requests.h"
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
#include "report/full_disks.h"
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
  if (load_ == nullptr || nodes() != nullptr) return;
  TellSentByClock(FindSentByClock(timeline(), load_->found, TargetThreads()),
                  merged_.vertex_of_entity, report_);
  AskForMoreBlockingAskers(report_, [this](const pb::RequestsLetThrough& way) {
    return AskersOf(way, FindLetThrough(timeline(), load_->found, WalkOfRequests(),
                                        load_->range.from_ns, load_->range.to_ns));
  });
}

// Behind the code, as the reasons of waits tell which are for memory.
void Analysis::TellMemoryShortages() {
  TellMemoryLimits(*waits_, merged_.vertex_of_entity, range_, memory_shortages_, report_);
}

// A job is asked for its time from beginning to end, whenever it asked servers.
Analysis::FollowedLoad Analysis::FollowLoad() const {
  FollowedLoad load = {.found = FollowedRequests(recording_, range_, threads_), .range = range_};
  if (report_.path().is_job() || report_.path().whole()) return load;
  const TimeRange of_load = RangeOfLoad(timeline(), load.found, TargetThreads(), range_);
  if (of_load == range_) return load;
  return {.found = FollowedRequests(recording_, of_load, threads_), .range = of_load};
}

// For predictions and questions, which need single packets, too.
void Analysis::TellRequests() {
  load_ = std::make_unique<const FollowedLoad>(FollowLoad());
  const FoundRequests& found = load_->found;
  const TimeRange& range = load_->range;
  if (range != range_ || is_of_load_)
    AddCounter("requests_in_a_part", 1, report_).add_examples(LoadRangeText(timeline(), range));
  // On many nodes requests cross clocks that are known to within a bound, which may be longer than
  // a request: how many are open at once is not known then.
  if (found.requests.empty() || nodes() != nullptr) return;
  const RequestWalk& walk = WalkOfRequests();
  const std::vector<LetThrough> let_through =
      FindLetThrough(timeline(), found, walk, range.from_ns, range.to_ns);
  const SleepOfRequests sleep = FindSleepOfRequests(found, walk, TargetThreads(),
                                                    SearchedNs(found, range.from_ns, range.to_ns));
  if (!TellOwnTimer(sleep, merged_.vertex_of_entity, report_))
    TellLetThrough(found, walk, let_through, merged_.vertex_of_entity, report_);
  TellSleepOfRequests(sleep, let_through, merged_.vertex_of_entity, report_);
  TellNarrowWay(found, let_through, merged_.vertex_of_entity, report_);
  TellFullWay(found, let_through, merged_.vertex_of_entity, report_);
}

// To set one up walks back from every request, so all that need one share it.
const RequestWalk& Analysis::WalkOfRequests() {
  if (walk_ == nullptr) walk_ = std::make_unique<const RequestWalk>(timeline(), load_->found);
  return *walk_;
}

void Analysis::PredictFixes(const AnalysisOptions& options, const Progress& progress) {
  PredictionOptions prediction{.command = options.predictions->command,
                               .most_replayed_steps = options.predictions->most_replayed_steps};
  if (progress) prediction.progress = progress;
  if (options.stop_asked) prediction.stop_asked = options.stop_asked;
  const std::optional<Timeline> part = PartOf(load_ == nullptr ? range_ : load_->range);
  absl::StatusOr<TokenModel> tokens = absl::NotFoundError("no requests were found");
  TargetAnswers answers;
  if (load_ != nullptr && !LimitedByQuota(report_)) {
    const RequestWalk& walk = WalkOfRequests();
    tokens = TokensOfRequests({.timeline = part ? *part : timeline(),
                               .found = load_->found,
                               .walk = walk,
                               .vertex_of_entity = merged_.vertex_of_entity,
                               .stacks = stacks_,
                               .code = code_});
    prediction.requests = &tokens;
    answers = AnswersOfTarget(timeline(), load_->found, TargetThreads());
  }
  walk_.reset();
  load_.reset();
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

}  // namespace gordian
