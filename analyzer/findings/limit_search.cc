// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/limit_search.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "analyzer/findings/evidence/closed_circle.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/explain.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/knots/knots.h"

namespace gordian {
namespace {

constexpr uint32_t kNowhere = 0xffffffff;

class LimitSearch {
 public:
  LimitSearch(const Evidence& evidence, bool explain)
      : evidence_(evidence),
        scope_(evidence.scope),
        explain_(evidence.measures, evidence.words, explain),
        explains_(explain),
        local_of_(evidence.measures.graph().vertices.size(), kNowhere),
        place_(scope_.vertices.size()) {
    for (uint32_t i = 0; i < scope_.vertices.size(); ++i) local_of_[scope_.vertices[i]] = i;
  }

  LimitSearchResult Run() {
    SplitIntoComponents();
    explain_.LeftOut(scope_.left_out);
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> open;
    for (uint32_t i = 0; i < components_.members.size(); ++i) {
      if (ways_out_[i] == 0) open.push(i);
    }
    while (!open.empty()) {
      const uint32_t component = open.top();
      open.pop();
      if (HidesWaiters(component)) continue;
      for (const uint32_t waiting : waiting_[component]) {
        if (--ways_out_[waiting] == 0) open.push(waiting);
      }
    }
    return {std::move(limits_), explain_.Take()};
  }

 private:
  void SplitIntoComponents() {
    std::vector<KnotEdge> edges;
    edges.reserve(scope_.edges.size());
    for (const ScopeEdge& edge : scope_.edges) {
      edges.push_back({local_of_[edge.from], local_of_[edge.to], edge.weight_ns, true});
    }
    components_ = StrongComponents(static_cast<uint32_t>(scope_.vertices.size()), edges);
    const size_t count = components_.members.size();
    ways_out_.resize(count);
    waiting_.resize(count);
    inner_.resize(count);
    waited_for_.resize(count);
    for (const ScopeEdge& edge : scope_.edges) {
      const uint32_t from = components_.component_of[local_of_[edge.from]];
      const uint32_t to = components_.component_of[local_of_[edge.to]];
      if (from == to) {
        inner_[from].push_back(edge);
        continue;
      }
      ++ways_out_[from];
      waiting_[to].push_back(from);
      if (evidence_.vertex(edge.from).is_device()) continue;
      waited_for_[to] = std::max(waited_for_[to], edge.share);
    }
  }

  // Judges a component. True if the search must not ask the components that wait for it.
  bool HidesWaiters(uint32_t component) {
    std::vector<uint32_t> members;
    for (const uint32_t local : components_.members[component]) {
      members.push_back(scope_.vertices[local]);
    }
    if (!inner_[component].empty())
      return IsLimitingCircle({members, inner_[component], waited_for_[component]});
    std::optional<Limit> limit = LimitOfVertex(evidence_, members[0]);
    if (!limit) return false;
    limits_.push_back(*std::move(limit));
    return limits_.back().hides_waiters;
  }

  bool IsLimitingCircle(const Circle& circle) {
    if (IsTakenAway(circle)) return false;
    const bool concerns = circle.waited_for >= evidence_.options.threshold ||
                          std::any_of(circle.members.begin(), circle.members.end(),
                                      [&](uint32_t id) { return evidence_.IsTarget(id); });
    if (!concerns) return false;
    const size_t before = limits_.size();
    RefineKnot(circle);
    // No part that refinement ended with explains the wait: the whole knot does.
    if (limits_.size() == before) AddCircle(circle);
    return true;
  }

  bool IsTakenAway(const Circle& circle) {
    if (evidence_.options.keep_background || !IsLightCircle(evidence_, circle.members))
      return false;
    for (const KindRow& row : AllKinds()) {
      if (row.of_light_circle == nullptr) continue;
      std::optional<Limit> limit = row.of_light_circle(evidence_, circle);
      if (!limit) continue;
      explain_.Background(circle.members);
      limits_.push_back(*std::move(limit));
      return true;
    }
    return false;
  }

  void RefineKnot(const Circle& circle) {
    const std::vector<uint32_t>& members = circle.members;
    for (uint32_t i = 0; i < members.size(); ++i) place_[local_of_[members[i]]] = i;
    std::vector<KnotEdge> edges;
    edges.reserve(circle.edges.size());
    for (uint32_t i = 0; i < circle.edges.size(); ++i) {
      const ScopeEdge& edge = circle.edges[i];
      edges.push_back({place_[local_of_[edge.from]], place_[local_of_[edge.to]], edge.weight_ns,
                       HoldsBack(edge), i});
    }
    const FindingOptions& options = evidence_.options;
    const RefineOptions refine_options = {
        .threshold = static_cast<uint64_t>(options.threshold * evidence_.measures.span_ns()),
        .max_vertices = options.max_vertices,
        .explain = explains_};
    const Refinement refinement =
        Refine(static_cast<uint32_t>(members.size()), edges, refine_options);
    explain_.Refined(members, refinement.steps);
    for (const RefinedPiece& piece : refinement.pieces) AddPiece(circle, piece);
  }

  void AddPiece(const Circle& circle, const RefinedPiece& piece) {
    std::vector<uint32_t> members;
    for (const uint32_t local : piece.vertices) members.push_back(circle.members[local]);
    if (piece.edges.empty()) {
      if (std::optional<Limit> limit = LimitOfVertex(evidence_, members[0]))
        limits_.push_back(*std::move(limit));
      return;
    }
    std::vector<ScopeEdge> kept;
    for (const KnotEdge& edge : piece.edges) kept.push_back(circle.edges[edge.label]);
    AddCircle({members, kept, circle.waited_for});
  }

  void AddCircle(const Circle& circle) {
    for (const KindRow& row : AllKinds()) {
      if (row.of_circle == nullptr) continue;
      std::optional<Limit> limit = row.of_circle(evidence_, circle);
      if (!limit) continue;
      limits_.push_back(*std::move(limit));
      return;
    }
  }

  // Every edge of the scope matters, but not to a thread that is busy nearly all the time anyway.
  bool HoldsBack(const ScopeEdge& edge) const {
    const double threshold = evidence_.options.threshold;
    return edge.share >= kHoldsBack * threshold ||
           evidence_.measures.BusyShare(edge.from) < 1 - threshold;
  }

  const Evidence& evidence_;
  const Scope& scope_;
  Explain explain_;
  const bool explains_;
  std::vector<uint32_t> local_of_;  // by vertex: its place in the scope
  std::vector<uint32_t> place_;     // by place in the scope: within the knot at hand

  Components components_;
  std::vector<uint32_t> ways_out_;              // by component: edges to others still there
  std::vector<std::vector<uint32_t>> waiting_;  // by component: one entry per edge into it
  std::vector<std::vector<ScopeEdge>> inner_;   // by component, sorted by ends
  std::vector<double> waited_for_;              // by component, from outside of it
  std::vector<Limit> limits_;
};

}  // namespace

LimitSearchResult FindLimits(const Evidence& evidence, bool explain) {
  return LimitSearch(evidence, explain).Run();
}

}  // namespace gordian
