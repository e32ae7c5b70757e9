#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/confidence.h"
#include "analyzer/findings/findings.h"
#include "analyzer/findings/gain.h"
#include "analyzer/findings/limit_search.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/findings/report_graph.h"
#include "analyzer/findings/ruled_out.h"
#include "analyzer/findings/scope.h"
#include "analyzer/findings/target.h"
#include "analyzer/findings/wording.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostApart = 3;
constexpr int kMostFindings = 16;
// Of one knot. A report holds all edges of the graph anyway.
constexpr int kMostEdges = 1000;

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
    const bool named = !options_.target_pids.empty() || !options_.target_comms.empty() ||
                       !options_.target_cgroup_ids.empty() || !options_.target_nodes.empty();
    target_ = ChooseTarget(measures_, named);
    std::vector<char> allowed(graph_.vertices.size());
    for (size_t id = 0; id < allowed.size(); ++id) allowed[id] = !graph_.vertices[id].recorder;
    scope_ = MakeScope(measures_, target_.workers, allowed, target_.is_target);
    WriteGraph(recording_, measures_, scope_, target_, report_);
    WriteScope();

    TellMerges();
    LimitSearchResult found = FindLimits(measures_, words_, scope_, target_, options_);
    for (pb::ExplainStep& step : found.steps) *report_.add_explain() = std::move(step);
    FindApart(std::move(allowed), found.limits);
    const std::vector<Limit> limits =
        RankLimits(measures_, scope_, target_, std::move(found.limits));
    for (const Limit& limit : limits) {
      if (report_.findings_size() < kMostFindings) WriteFinding(limits, limit);
    }
    if (limits.size() > kMostFindings) CountUntold(limits.size() - kMostFindings);
    report_.set_verdict(Verdict(limits));
    return std::move(report_);
  }

 private:
  void WriteScope() {
    pb::Scope& scope = *report_.mutable_scope();
    scope.set_chosen_by(target_.chosen_by);
    scope.set_description(target_.description);
    for (const uint32_t id : scope_.vertices) scope.add_vertices(id);
  }

  // Why threads in scope are one vertex, or are not.
  void TellMerges() {
    if (!options_.explain) return;
    for (const MergeNote& note : graph_.merge_notes) {
      const uint32_t vertex = graph_.vertex_of_entity[note.thread];
      if (!scope_.contains[vertex]) continue;
      pb::ExplainStep& step = *report_.add_explain();
      step.set_action(note.merged ? "merged" : "kept apart");
      step.set_text(note.text);
      step.add_vertices(vertex);
    }
  }

  // Knots among those that the scope left alone. Devices may be in both.
  void FindApart(std::vector<char> allowed, std::vector<Limit>& limits) {
    Target others;
    others.is_target.resize(allowed.size());
    for (uint32_t id = 0; id < allowed.size(); ++id) {
      const Vertex& vertex = graph_.vertices[id];
      if (!vertex.is_device() && (scope_.contains[id] || target_.is_target[id])) allowed[id] = 0;
      if (!allowed[id] || !vertex.has_threads()) continue;
      others.is_target[id] = 1;
      others.workers.push_back(id);
    }
    const Scope scope = MakeScope(measures_, others.workers, allowed, others.is_target);
    FindingOptions options = options_;
    options.explain = false;
    size_t taken = 0;
    std::vector<Limit> apart = FindLimits(measures_, words_, scope, others, options).limits;
    std::stable_sort(apart.begin(), apart.end(),
                     [](const Limit& a, const Limit& b) { return a.share > b.share; });
    for (Limit& limit : apart) {
      if (limit.kind != LimitKind::kKnot || limit.share < options.threshold) continue;
      if (taken == kMostApart) break;
      limit.apart = true;
      limits.push_back(std::move(limit));
      ++taken;
    }
  }

  void WriteFinding(const std::vector<Limit>& limits, const Limit& limit) {
    pb::Finding& finding = *report_.add_findings();
    finding.set_rank(static_cast<uint32_t>(report_.findings_size()));
    finding.set_kind(KindName(limit.kind));
    finding.set_apart(limit.apart);
    for (const uint32_t id : limit.members) {
      finding.add_members(id);
      if (graph_.vertices[id].has_threads() && !target_.is_target[id]) finding.add_outside(id);
    }
    if (limit.attack) WriteEdge(*limit.attack, *finding.mutable_edge());
    for (const ScopeEdge& edge : limit.edges) {
      if (finding.edges_size() == kMostEdges) break;
      if (measures_.FindEdge(edge.from, edge.to) == nullptr) continue;
      WriteEdge(edge, *finding.add_edges());
    }
    finding.set_share(limit.share);
    finding.set_upper_bound_gain(limit.apart ? 1
                                             : UpperBoundGain(measures_, scope_, target_, limit));
    Confidence confidence =
        JudgeConfidence(recording_, report_.recording(), measures_, words_, limit);
    finding.set_confidence(confidence.value);
    for (std::string& doubt : confidence.doubts) finding.add_doubts(std::move(doubt));
    Word(measures_, words_, target_, limit, !options_.recording.chains_end_at_targets(), finding);
    if (limit.apart || limit.kind == LimitKind::kBackground) return;
    for (pb::RuledOut& out : RuleOut(measures_, words_, scope_, target_, limits, limit)) {
      *finding.add_ruled_out() = std::move(out);
    }
  }

  void CountUntold(size_t count) {
    pb::ReportCounter& counter = *report_.add_counters();
    counter.set_name("findings_not_told");
    counter.set_value(count);
    counter.set_severity("info");
    counter.set_advice("Merge similar threads, or name the target more narrowly.");
  }

  static void WriteEdge(const ScopeEdge& edge, pb::EdgeRef& out) {
    out.set_from(edge.from);
    out.set_to(edge.to);
  }

  std::string Verdict(const std::vector<Limit>& limits) const {
    const bool found =
        !limits.empty() && !limits[0].apart && limits[0].kind != LimitKind::kBackground;
    if (found) return report_.findings(0).title();
    if (target_.workers.empty()) return "Nothing to judge: the target did no work.";
    double busiest = 0;
    for (const uint32_t id : target_.workers) {
      busiest = std::max(busiest, measures_.BusyShare(id));
    }
    return absl::StrCat("Nothing holds the target up: its busiest thread is busy ",
                        PercentText(busiest), " of the time and waits for more work.");
  }

  const WaitForGraph& recording_;
  const FindingOptions& options_;
  const MergedGraph& graph_;
  Measures measures_;
  VertexWords words_;
  Target target_;
  Scope scope_;
  pb::Report report_;
};

}  // namespace

pb::Report Judge(const WaitForGraph& graph, const MergedGraph& merged,
                 const FindingOptions& options) {
  return Judgement(graph, merged, options).Run();
}

}  // namespace gordian
