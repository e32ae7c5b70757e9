// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/doubts.h"
#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/scope.h"
#include "analyzer/findings/evidence/target.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/findings.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/findings/limit_search.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/findings/report_graph.h"
#include "analyzer/findings/ruled_out.h"
#include "analyzer/findings/work_givers.h"
#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostApart = 3;
constexpr size_t kMostFindings = 16;

class Judgement {
 public:
  Judgement(const WaitForGraph& recording, const MergedGraph& graph, const FindingOptions& options)
      : recording_(recording),
        options_(options),
        graph_(graph),
        measures_(recording, graph),
        words_(graph) {}

  pb::Report Run() {
    report_.set_report_version(1);
    *report_.mutable_recording() = options_.recording;
    const Target target = TargetOf();
    const Scope scope = ScopeOf(target);
    WriteGraph(recording_, measures_, words_.labels(), scope, target, report_);
    WriteScope(scope, target);
    TellMerges(scope);

    const Evidence evidence = GatherEvidence(scope, target);
    const std::string without_limit = VerdictWithoutLimit(evidence);
    LimitSearchResult found = FindLimits(evidence, options_.explain);
    for (pb::ExplainStep& step : found.steps) *report_.add_explain() = std::move(step);
    const std::vector<Limit> limits = Ranked(evidence, std::move(found.limits));
    for (size_t i = 0; i < std::min(limits.size(), kMostFindings); ++i) {
      WriteFinding(FindingOf({evidence, limits[i]}, limits), report_);
    }
    if (limits.size() > kMostFindings) CountUntold(limits.size() - kMostFindings);
    RankFindings(report_, without_limit);
    return std::move(report_);
  }

  PartJudgement RunPart() {
    const Target target = TargetOf();
    const Scope scope = ScopeOf(target);
    const Evidence evidence = GatherEvidence(scope, target);
    std::vector<Limit> limits = Ranked(evidence, FindLimits(evidence, false).limits);
    limits.resize(std::min(limits.size(), kMostFindings));
    PartJudgement part;
    for (Limit& limit : limits) part.found.push_back({limit.kind, std::move(limit.members)});
    for (uint32_t id = 0; id < graph_.vertices.size(); ++id) {
      const Vertex& vertex = graph_.vertices[id];
      if (target.is_target[id])
        part.work_s += SecondsOf(vertex.cpu_ns()) + SecondsOf(vertex.runnable_ns);
    }
    return part;
  }

 private:
  Target TargetOf() const {
    const bool named = !options_.target_pids.empty() || !options_.target_comms.empty() ||
                       !options_.target_cgroup_ids.empty() || !options_.target_nodes.empty();
    return ChooseTarget(measures_, named);
  }

  std::vector<char> Allowed() const {
    std::vector<char> allowed(graph_.vertices.size());
    for (size_t id = 0; id < allowed.size(); ++id) allowed[id] = !graph_.vertices[id].recorder;
    return allowed;
  }

  Scope ScopeOf(const Target& target) const {
    return MakeScope(measures_, target.workers, Allowed(), target.is_target);
  }

  // With those apart from the target.
  std::vector<Limit> Ranked(const Evidence& evidence, std::vector<Limit> limits) {
    FindApart(evidence, Allowed(), limits);
    return RankLimits(evidence, std::move(limits));
  }

  Evidence GatherEvidence(const Scope& scope, const Target& target) const {
    return {recording_, measures_, words_, scope, target, options_};
  }

  void WriteScope(const Scope& scope, const Target& target) {
    pb::Scope& out = *report_.mutable_scope();
    out.set_chosen_by(target.chosen_by);
    out.set_description(target.description);
    for (const uint32_t id : scope.vertices) out.add_vertices(id);
  }

  // The reasons why threads in scope are one vertex or several.
  void TellMerges(const Scope& scope) {
    if (!options_.explain) return;
    for (const MergeNote& note : graph_.merge_notes) {
      const uint32_t vertex = graph_.vertex_of_entity[note.thread];
      if (!scope.contains[vertex]) continue;
      pb::ExplainStep& step = *report_.add_explain();
      step.set_action(note.merged ? "merged" : "kept apart");
      step.set_text(note.text);
      step.add_vertices(vertex);
    }
  }

  // Knots among the vertices outside of the scope. Devices may be in both.
  void FindApart(const Evidence& evidence, std::vector<char> allowed, std::vector<Limit>& limits) {
    Target others;
    others.is_the_others = true;
    others.is_target.resize(allowed.size());
    for (uint32_t id = 0; id < allowed.size(); ++id) {
      const Vertex& vertex = graph_.vertices[id];
      if (!vertex.is_device() && (evidence.scope.contains[id] || evidence.IsTarget(id)))
        allowed[id] = 0;
      if (!allowed[id] || !vertex.has_threads()) continue;
      others.is_target[id] = 1;
      others.workers.push_back(id);
    }
    const Scope scope = MakeScope(measures_, others.workers, allowed, others.is_target);
    std::vector<Limit> apart = FindLimits(GatherEvidence(scope, others), false).limits;
    std::stable_sort(apart.begin(), apart.end(),
                     [](const Limit& a, const Limit& b) { return a.share > b.share; });
    size_t taken = 0;
    for (Limit& limit : apart) {
      if (limit.kind != FindingKind::kKnot || limit.share < options_.threshold) continue;
      if (taken++ == kMostApart) break;
      limit.apart = true;
      limits.push_back(std::move(limit));
    }
  }

  Finding FindingOf(const Case& it, const std::vector<Limit>& limits) const {
    const KindRow& kind = RowOf(it.limit.kind);
    const bool apart = it.limit.apart;
    Confidence confidence = SharedDoubts(it);
    kind.doubts(it, confidence);
    Finding finding{.kind = it.limit.kind,
                    .apart = apart,
                    .members = it.limit.members,
                    .share = it.limit.share,
                    .upper_bound_gain = apart ? 1 : kind.upper_bound(it),
                    .confidence = confidence.value,
                    .title = kind.title(it),
                    .why = kind.why(it),
                    .advice = kind.advice(it),
                    .doubts = std::move(confidence.doubts)};
    for (std::string& sentence : WhoGivesWork(it)) finding.why.push_back(std::move(sentence));
    for (const uint32_t id : it.limit.members) {
      if (IsMemberOutside(it, id)) finding.outside.push_back(id);
    }
    if (it.limit.attack) finding.attack = {it.limit.attack->from, it.limit.attack->to};
    for (const ScopeEdge& edge : it.limit.edges) {
      if (measures_.FindEdge(edge.from, edge.to) != nullptr)
        finding.waits.push_back({edge.from, edge.to});
    }
    if (apart) finding.title = absl::StrCat("Apart from the target: ", finding.title);
    if (apart || !kind.facts.limits) return finding;
    finding.ruled_out = RuleOut(it, limits);
    finding.natural_fixes = kind.fixes(it);
    return finding;
  }

  void CountUntold(size_t count) {
    pb::ReportCounter& counter = *report_.add_counters();
    counter.set_name("findings_not_told");
    counter.set_value(count);
    counter.set_severity("info");
    counter.set_advice("Merge similar threads, or name the target more narrowly.");
  }

  static std::string NotFound(const std::string& who_waits, double share,
                              const std::string& for_what) {
    return absl::StrCat("What holds the target up was not found: ", who_waits, PercentText(share),
                        " of the time for ", for_what, ".");
  }

  // By vertex, somebody outside of the target who asks this worker and waits for it most of the
  // time: the worker has work then, however little it runs.
  std::vector<const Edge*> WaitingClients(const Evidence& evidence) const {
    std::vector<const Edge*> clients(graph_.vertices.size());
    std::vector<char> is_worker(graph_.vertices.size());
    for (const uint32_t id : evidence.target.workers) is_worker[id] = 1;
    for (const Edge& edge : graph_.edges) {
      if (is_worker[edge.to] && clients[edge.to] == nullptr && !evidence.IsTarget(edge.from) &&
          measures_.OwnShare(edge) >= kMostOfTheTime && measures_.Asks(edge.from, edge.to))
        clients[edge.to] = &edge;
    }
    return clients;
  }

  std::string VerdictWithoutLimit(const Evidence& evidence) const {
    const std::vector<uint32_t>& workers = evidence.target.workers;
    if (workers.empty()) return "Nothing to judge: the target did no work.";
    const std::vector<const Edge*> clients = WaitingClients(evidence);
    double busiest = 0;
    for (const uint32_t id : workers) {
      if (evidence.WaitsForAnswers(id))
        return NotFound(words_.does(id, "waits ", "wait "), measures_.AnswerShare(id), "answers");
      if (const Edge* const client = clients[id])
        return NotFound(words_.does(client->from, "waits ", "wait "), measures_.OwnShare(*client),
                        absl::StrCat("answers of ", words_.of(id)));
      busiest = std::max(busiest, measures_.BusyShare(id));
    }
    return absl::StrCat("Nothing holds the target up: its busiest thread is busy ",
                        PercentText(busiest), " of the time and waits for more work.");
  }

  const WaitForGraph& recording_;
  const FindingOptions& options_;
  const MergedGraph& graph_;
  const Measures measures_;
  const VertexWords words_;
  pb::Report report_;
};

}  // namespace

pb::Report Judge(const WaitForGraph& graph, const MergedGraph& merged,
                 const FindingOptions& options) {
  return Judgement(graph, merged, options).Run();
}

PartJudgement JudgePart(const WaitForGraph& graph, const MergedGraph& merged,
                        const FindingOptions& options) {
  return Judgement(graph, merged, options).RunPart();
}

}  // namespace gordian
