#include "cli/analysis.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/graph/wait_for_graph.h"
#include "base/time_units.h"
#include "cli/report_counters.h"
#include "cli/slow_progress.h"
#include "output/perfetto_timeline.h"
#include "report/cluster_report.h"
#include "report/code_stacks.h"
#include "report/cpu_users.h"
#include "report/edge_histories.h"
#include "report/suggested_probes.h"
#include "report/vertex_names.h"
#include "whatif/predict_findings.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string StartedAt(const pb::Session& session) {
  if (session.clocks().empty()) return "";
  const pb::ClockPair& clock = session.clocks(0);
  const auto after_ns = static_cast<int64_t>(session.start_time_ns() - clock.monotonic_ns());
  return FormatRealtime(clock.realtime_ns() + after_ns);
}

pb::RecordingSummary Summary(const Timeline& timeline) {
  const pb::Session& session = timeline.session();
  pb::RecordingSummary recording;
  for (const std::string& node : timeline.nodes()) recording.add_nodes(node);
  if (timeline.nodes().empty() && !session.host().hostname().empty())
    recording.add_nodes(session.host().hostname());
  recording.set_name(session.name());
  recording.set_backend(session.backend());
  recording.set_started(StartedAt(session));
  recording.set_complete(session.complete());
  *recording.mutable_command() = session.command();
  recording.set_paused_s(SecondsOf(timeline.pauses().total_ns()));
  recording.set_pauses(timeline.pauses().count());
  recording.set_chains_end_at_targets(session.chains_end_at_targets());
  return recording;
}

uint64_t RequestsWithoutEnd(const WaitForGraph& graph) {
  uint64_t count = 0;
  for (const Entity& entity : graph.entities) count += entity.requests_without_end;
  return count;
}

// Of many nodes each may have a group of that name.
absl::StatusOr<std::vector<uint64_t>> CgroupIds(const std::vector<std::string>& paths,
                                                const Timeline& timeline) {
  std::vector<uint64_t> ids;
  for (const std::string& path : paths) {
    const std::string wanted = absl::StrCat(path.starts_with('/') ? "" : "/", path);
    const size_t before = ids.size();
    for (const pb::Cgroup& cgroup : timeline.session().cgroups()) {
      if (cgroup.path() != wanted && cgroup.path() != path) continue;
      ids.push_back(cgroup.id());
      if (timeline.nodes().empty()) break;
    }
    if (ids.size() == before)
      return absl::NotFoundError(absl::StrCat("no thread of the recording was in the cgroup ", path,
                                              "; gordian dump --kind task shows who was where"));
  }
  return ids;
}

absl::StatusOr<GraphOptions> GraphOptionsOf(const AnalysisOptions& options) {
  GraphOptions graph;
  graph.merge_similar = !options.graph.no_merge;
  for (const std::string& text : options.graph.groups) {
    auto rule = ParseGroupRule(text);
    if (!rule.ok()) return rule.status();
    graph.groups.push_back(*std::move(rule));
  }
  return graph;
}

absl::StatusOr<FindingOptions> FindingOptionsOf(const AnalysisOptions& options,
                                                const Timeline& timeline) {
  FindingOptions finding;
  auto cgroup_ids = CgroupIds(options.target.cgroups, timeline);
  if (!cgroup_ids.ok()) return cgroup_ids.status();
  finding.target_cgroup_ids = *std::move(cgroup_ids);
  finding.target_pids = options.target.pids;
  finding.target_comms = options.target.comms;
  finding.target_nodes = options.target.nodes;
  if (!finding.target_nodes.empty() && timeline.nodes().empty())
    return absl::InvalidArgumentError(
        "--node: this is a recording of one node alone; give the folder that gordian collect "
        "wrote");
  finding.threshold = options.finding.threshold;
  finding.max_vertices = options.finding.max_vertices;
  finding.keep_background = options.finding.keep_background;
  finding.explain = options.finding.explain;
  finding.recording = Summary(timeline);
  return finding;
}

}  // namespace

absl::StatusOr<Analysis> Analysis::Run(const std::string& directory,
                                       const AnalysisOptions& options) {
  auto recording = ReadRecording(directory, options.graph.threads);
  if (!recording.ok()) return recording.status();
  Analysis analysis;
  analysis.threads_ = options.graph.threads;
  bool symbols_unreadable = false;
  analysis.code_ = ReadCode(*recording, symbols_unreadable);
  analysis.node_sessions_ = JobSessionsOf(*recording);
  analysis.timeline_ = std::move(recording->timeline);
  analysis.range_ = RangeOf(analysis.timeline_->start_ns(), analysis.timeline_->end_ns(),
                            options.range.from_ns, options.range.to_ns);
  if (analysis.timeline_->end_ns() <= analysis.timeline_->start_ns())
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " holds no time to analyze: its first event is its last; record longer"));
  if (analysis.range_.length_ns() == 0)
    return absl::OutOfRangeError(absl::StrCat(
        "the recording has nothing from --from to --to: it is ",
        FormatDuration(analysis.timeline_->end_ns() - analysis.timeline_->start_ns()), " long"));
  auto graph_options = GraphOptionsOf(options);
  if (!graph_options.ok()) return graph_options.status();
  const auto finding_options = FindingOptionsOf(options, *analysis.timeline_);
  if (!finding_options.ok()) return finding_options.status();

  SlowProgress progress(absl::StrCat("analyzing ", CleanText(directory)));
  analysis.suggestions_ =
      FindSuggestions(*analysis.timeline_, analysis.code_,
                      {.from_ns = analysis.range_.from_ns, .to_ns = analysis.range_.to_ns});
  uint64_t assumed = 0;
  if (options.graph.assume_false_wakeups)
    assumed = analysis.timeline_->JoinWaits(analysis.suggestions_.after_false_wakeups);
  analysis.waits_ = std::make_unique<const Waits>(
      *analysis.timeline_,
      WaitsOptions{.merge_short_lived = !options.graph.no_merge, .threads = analysis.threads_});
  WaitForGraph graph = BuildWaitForGraph(*analysis.waits_,
                                         {.from_ns = analysis.range_.from_ns,
                                          .to_ns = analysis.range_.to_ns,
                                          .threads = analysis.threads_},
                                         [&progress](double share) { progress.ShowShare(share); });
  if (!options.graph.no_merge) graph_options->code_profiles = analysis.ProfileCode();
  if (absl::Status status = MarkNamedTargets(*finding_options, graph); !status.ok()) return status;
  const auto merged = BuildGraph(graph, *graph_options);
  if (!merged.ok()) return merged.status();
  analysis.vertex_of_entity_ = merged->vertex_of_entity;
  analysis.report_ = Judge(graph, *merged, *finding_options);
  if (recording->nodes)
    AddCluster(*recording->nodes, recording->left_out, analysis.vertex_of_entity_,
               analysis.report_);
  if (!analysis.timeline_->session().chains_end_at_targets()) {
    AddCpuUsers(*analysis.waits_, analysis.vertex_of_entity_, analysis.timeline_->cpus(),
                analysis.range_, analysis.report_);
  }
  AddCounters(*analysis.timeline_, RequestsWithoutEnd(graph), analysis.report_);
  if (recording->nodes) {
    for (const NamedCount& count : ClusterCounts(*recording->nodes, recording->left_out.size()))
      AddCounter(count.name, count.value, analysis.report_);
  }
  if (symbols_unreadable) AddCounter("symbols_unreadable", 1, analysis.report_);
  analysis.report_.set_assumed_false_wakeups(assumed);
  analysis.AddStacks();
  return analysis;
}

void Analysis::Predict(const std::string& command) {
  SlowProgress progress("predicting");
  const bool is_whole =
      range_.from_ns == timeline_->start_ns() && range_.to_ns == timeline_->end_ns();
  PredictFindings({.timeline = *timeline_,
                   .report = report_,
                   .vertex_of_entity = vertex_of_entity_,
                   .stacks = stacks_,
                   .code = code_},
                  {.command = command,
                   .is_part = !is_whole,
                   .progress = [&progress](double share) { progress.ShowShare(share); }},
                  report_);
}

std::vector<CodeProfile> Analysis::ProfileCode() const {
  if (timeline_->stack_samples().empty()) return {};
  std::vector<uint32_t> entities(waits_->entities().size());
  std::iota(entities.begin(), entities.end(), 0);
  const StackSums sums(*timeline_, *waits_, entities,
                       {.from_ns = range_.from_ns, .to_ns = range_.to_ns, .threads = threads_});
  return CodeProfiles(sums, code_, entities.size());
}

void Analysis::AddStacks() {
  if (timeline_->stack_samples().empty()) return;
  stacks_ = StackSums(*timeline_, *waits_, vertex_of_entity_,
                      {.from_ns = range_.from_ns, .to_ns = range_.to_ns, .threads = threads_});
  wait_things_ = WaitThings(*timeline_, stacks_, range_.from_ns, range_.to_ns);
  AddCode(stacks_, code_, wait_things_, {}, report_);
  AddSuggestions(suggestions_.all, *timeline_, code_, vertex_of_entity_, range_, report_);
  CountStacks();
}

// Some of these the timeline counted already.
void Analysis::CountStacks() {
  uint64_t undefined = 0;
  for (const StackSum& sum : stacks_.all()) {
    if (!code_.IsDefined(sum.stack_id)) undefined += sum.samples;
  }
  for (const auto& [name, value] :
       {std::pair<std::string_view, uint64_t>{"stack_samples_without_definition", undefined},
        {"stack_samples_without_wait", stacks_.samples_without_wait()}}) {
    if (value > 0) AddCounter(name, value, report_);
  }
}

absl::StatusOr<pb::EdgeStackListing> Analysis::StacksOf(const EdgeFilter& filter) const {
  const VertexNames names(report_);
  auto edges = FindEdges(report_, filter);
  if (!edges.ok()) return edges.status();
  if (edges->empty())
    return absl::NotFoundError(absl::StrCat(CleanText(filter.from), " never waits for ",
                                            CleanText(filter.to),
                                            "; gordian graph --edges lists all waits"));
  if (stacks_.all().empty())
    return absl::NotFoundError(
        "the recording holds no stacks; gordian record takes them unless --stacks=off is given");
  pb::EdgeStackListing listing;
  for (const pb::ReportEdge* edge : *edges) {
    pb::EdgeStacks& listed = *listing.add_edges();
    *listed.mutable_edge() = ListEdge(*edge, names);
    listed.mutable_edge()->clear_reasons();  // they stand beside it
    ListStacks(stacks_, code_, wait_things_, names, *edge, listed);
  }
  return listing;
}

absl::StatusOr<Analysis> Analysis::OfJob(const JobArguments& arguments) {
  Analysis analysis;
  analysis.report_.set_report_version(1);
  if (auto status = analysis.AddPhases(arguments); !status.ok()) return status;
  return analysis;
}

absl::Status Analysis::AddPhases(const JobArguments& arguments) {
  SlowProgress progress("phases");
  auto reading = ReadJobOf(arguments, node_sessions_);
  if (!reading.ok()) return reading.status();
  auto job = AnalyzeReading(std::move(reading->job), arguments, timeline_.get(), threads_);
  if (!job.ok()) return job.status();
  AddJob(*job, {.timeline = timeline_.get(), .vertex_of_entity = vertex_of_entity_}, report_);
  AddJobCounters(reading->counters, job->attribution, report_);
  job_ = std::make_unique<JobAnalysis>(*std::move(job));
  return absl::OkStatus();
}

pb::PageData Analysis::Page() const {
  constexpr size_t kMostBins = 600;
  pb::PageData page;
  *page.mutable_report() = report_;
  if (job_) AddSeries(*job_, kMostBins, page);
  if (!timeline_) return page;
  AddEdgeHistories(*waits_, vertex_of_entity_, {.range = range_}, page);
  return page;
}

void Analysis::WritePerfetto(const PerfettoTrace::Sink& sink) const {
  WritePerfettoTimeline(*timeline_, report_, range_, sink);
}

}  // namespace gordian
