// SPDX-License-Identifier: Apache-2.0
// Answers to questions of a finished analysis.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analysis/load_range.h"
#include "analysis/part_graph.h"
#include "analysis/phase_requests.h"
#include "analysis/recorded_phases.h"
#include "analysis/resolved_options.h"
#include "analysis/target_answers.h"
#include "analysis/token_requests.h"
#include "base/parallel.h"
#include "base/time_units.h"
#include "report/code_stacks.h"
#include "report/edge_histories.h"
#include "report/time_range.h"
#include "report/vertex_names.h"
#include "requests/requests.h"
#include "trace/session_reader.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// By node.
using Sessions = std::vector<std::unique_ptr<SessionReader>>;

absl::StatusOr<Sessions> OpenSessions(const LoadedRecording& recording) {
  Sessions sessions;
  for (const std::string& directory : recording.directories) {
    auto session = SessionReader::Open(directory);
    if (!session.ok()) return session.status();
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

std::vector<NodeEvents> EventsOf(const LoadedRecording& recording, const Sessions& sessions) {
  std::vector<NodeEvents> events;
  for (size_t node = 0; node < sessions.size(); ++node) {
    events.push_back({.session = *sessions[node]});
    if (recording.nodes == nullptr) continue;
    events.back().to_timeline = [&clock = recording.nodes->clocks[node]](uint64_t time_ns) {
      return clock.ToReference(time_ns);
    };
  }
  return events;
}

// A thread that is in one goes on to the next, so it is their client, too.
std::vector<Request> AskedPhases(const LoadedRecording& recording, const std::string& phase,
                                 const TimeRange& range) {
  if (phase.empty()) return {};
  std::vector<Request> phases = RequestsOfPhases(ReadThreadPhases(recording), phase,
                                                 {.from_ns = range.from_ns, .to_ns = range.to_ns});
  for (Request& of_phase : phases) of_phase.client = of_phase.thread;
  return phases;
}

}  // namespace

pb::PageData Analysis::Page() const {
  pb::PageData page;
  *page.mutable_report() = report_;
  if (job_) AddTimeslices(*job_, *page.mutable_report());
  if (waits_) AddEdgeHistories(*waits_, merged_.vertex_of_entity, {.range = range_}, page);
  return page;
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

absl::StatusOr<ProgressTimes> Analysis::TimesOf(const std::string& progress) const {
  auto sessions = OpenSessions(recording_);
  if (!sessions.ok()) return sessions.status();
  auto times = TimesOfProgress(Analyzed(), progress, EventsOf(recording_, *sessions));
  if (!times.ok()) return times.status();
  std::erase_if(times->times_ns, [this](uint64_t time_ns) {
    return time_ns < range_.from_ns || time_ns >= range_.to_ns;
  });
  return times;
}

absl::StatusOr<pb::Report> Analysis::ReportOnPart(const TimeRange& part,
                                                  const AnalysisOptions& options) const {
  const auto finding = ResolveFindings(options, timeline());
  if (!finding.ok()) return finding.status();
  PartGraph made;
  MakePart(*waits_, sums(), {.from_ns = part.from_ns, .to_ns = part.to_ns, .threads = threads_},
           report_, merged_, made);
  pb::Report report = Judge(made.graph, made.merged, *finding);
  report.mutable_recording()->set_seconds(SecondsOf(part.length_ns()));
  return report;
}

absl::StatusOr<pb::WhatIf> Analysis::Ask(const WhatIfRequest& request,
                                         std::function<bool()> on_replay) const {
  // Only progress that is told by probes needs them.
  auto sessions =
      request.progress.empty() ? absl::StatusOr<Sessions>(Sessions()) : OpenSessions(recording_);
  if (!sessions.ok()) return sessions.status();
  // Requests are followed through the whole recording, which has its packets. All else is of the
  // range, or of the load within it, if the question counts requests.
  const bool asks_requests = MayTellRequests(request) && !LimitedByQuota(report_);
  const bool is_of_load = asks_requests && request.progress.empty();
  FollowedLoad now = {.found = {}, .range = range_};
  const bool is_kept = load_ != nullptr && (is_of_load || load_->range == range_);
  if (asks_requests && !is_kept) {
    if (is_of_load)
      now = FollowLoad();
    else
      now.found = FollowedRequests(recording_, range_, threads_);
  }
  const FollowedLoad& load = is_kept ? *load_ : now;
  const FoundRequests& found = load.found;
  const TimeRange& range = load.range;
  const std::optional<Timeline> part = PartOf(range);
  const std::string phase = asks_requests ? CleanText(PhaseOfProgress(request.progress)) : "";
  const std::vector<Request> phases = AskedPhases(recording_, phase, range_);
  const TargetAnswers answers = AnswersOfTarget(timeline(), found, TargetThreads());
  AnalyzedRecording analyzed = Analyzed(part ? &*part : nullptr);
  analyzed.answers = &answers;
  absl::StatusOr<pb::WhatIf> answer;
  absl::StatusOr<TokenModel> tokens;
  const auto ask_threads = [&] {
    answer = AskWhatIf(analyzed, request, EventsOf(recording_, *sessions), std::move(on_replay));
  };
  const auto find_tokens = [&] {
    std::optional<const RequestWalk> walk_now;
    const bool has_walk = is_kept && walk_ != nullptr;
    if (!has_walk) walk_now.emplace(timeline(), found);
    tokens = TokensOfRequests({.timeline = part ? *part : timeline(),
                               .found = found,
                               .walk = has_walk ? *walk_ : *walk_now,
                               .vertex_of_entity = merged_.vertex_of_entity,
                               .stacks = stacks_,
                               .code = code_,
                               .phases = phases,
                               .phase = phase});
  };
  // Neither needs the other, and each takes about as long.
  ParallelFor(ThreadCount(threads_), asks_requests ? 2 : 1,
              [&](size_t which, int) { which == 0 ? ask_threads() : find_tokens(); });
  const bool may_be_theirs = asks_requests && absl::IsFailedPrecondition(answer.status());
  if (!answer.ok() && !may_be_theirs) return answer;
  if (!asks_requests) {
    Calibrate({}, *answer);
    return answer;
  }
  if (answer.ok())
    AskRequests(analyzed, request, tokens, *answer);
  else
    answer = AskRequestsAlone(analyzed, request, tokens, answer.status());
  if (!answer.ok()) return answer;
  if (range != range_ || is_of_load_)
    answer->add_doubts(
        absl::StrCat(LoadRangeText(timeline(), range), ", and the gain is of that time"));
  Calibrate({}, *answer);
  return answer;
}

}  // namespace gordian
