// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/scope.h"

#include <algorithm>
#include <tuple>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
namespace {

class ScopeMaker {
 public:
  ScopeMaker(const Measures& measures, const std::vector<char>& allowed,
             const std::vector<char>& is_target)
      : measures_(measures), allowed_(allowed), is_target_(is_target), waiters_(allowed.size()) {
    scope_.contains.resize(allowed.size());
  }

  Scope Make(const std::vector<uint32_t>& starts) {
    Reach(starts);
    for (uint32_t id = 0; id < scope_.contains.size(); ++id) {
      if (scope_.contains[id]) scope_.vertices.push_back(id);
    }
    for (const uint32_t id : scope_.vertices) {
      if (measures_.vertex(id).is_device()) AddIdleEdges(id);
    }
    std::sort(scope_.edges.begin(), scope_.edges.end(), [](const ScopeEdge& a, const ScopeEdge& b) {
      return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    std::erase_if(scope_.left_out, [&](const Edge& edge) { return !scope_.contains[edge.to]; });
    return std::move(scope_);
  }

 private:
  // Each vertex is entered once, so each edge is looked at once.
  void Reach(const std::vector<uint32_t>& starts) {
    std::vector<uint32_t> open;
    const auto enter = [&](uint32_t id) {
      if (!allowed_[id] || scope_.contains[id]) return;
      scope_.contains[id] = 1;
      open.push_back(id);
    };
    for (const uint32_t id : starts) enter(id);
    while (!open.empty()) {
      const uint32_t id = open.back();
      open.pop_back();
      if (measures_.vertex(id).is_device()) continue;
      for (const Edge& edge : EdgesThatMatter(id)) {
        scope_.edges.push_back({edge.from, edge.to, edge.weight_ns, edge.own_ns, ShareOf(edge)});
        if (measures_.vertex(edge.to).is_device()) waiters_[edge.to].push_back(edge.from);
        enter(edge.to);
      }
    }
  }

  bool LeadsSomewhere(const Edge& edge) const {
    const VertexKind kind = measures_.vertex(edge.to).kind;
    return allowed_[edge.to] && kind != VertexKind::kTimer && kind != VertexKind::kUnknown;
  }

  bool IsOutsider(uint32_t id) const {
    const Vertex& vertex = measures_.vertex(id);
    return vertex.has_threads() && !vertex.kernel_thread && !is_target_[id];
  }

  // Only one thread of a pool at a time may ask over a connection that they share.
  double ShareOf(const Edge& edge) const {
    return measures_.Asks(edge.from, edge.to) ? measures_.ShareBesidePeers(edge)
                                              : measures_.OwnShare(edge);
  }

  // A pool that shares the way to an outsider is a circle by itself. That it is waited for when
  // all its questions are answered adds nothing, and would hide the pool behind the one it asks.
  bool IsForNextQuestionOfPool(const Edge& edge) const {
    if (!is_target_[edge.to] || is_target_[edge.from]) return false;
    const Edge* asked = measures_.FindEdge(edge.to, edge.from);
    return asked != nullptr && ShareOf(*asked) > measures_.OwnShare(*asked);
  }

  std::vector<Edge> EdgesThatMatter(uint32_t id) {
    std::vector<Edge> kept;
    std::vector<Edge> light;
    uint64_t kept_ns = 0;
    uint64_t light_ns = 0;
    for (const Edge& edge : measures_.edges_from(id)) {
      if (!LeadsSomewhere(edge) || IsForNextQuestionOfPool(edge)) continue;
      const bool matters =
          measures_.Matters(edge) && (!IsOutsider(edge.to) || ShareOf(edge) >= kMattersMuch);
      if (!matters && IsOutsider(edge.to)) {
        scope_.left_out.push_back(edge);
        continue;
      }
      (matters ? kept : light).push_back(edge);
      (matters ? kept_ns : light_ns) += edge.own_ns;
    }
    if (light_ns > kept_ns && measures_.OfRecording(light_ns) >= kMattersMuch &&
        measures_.Matters({id, id, light_ns, light_ns})) {
      KeepHeaviest(light_ns, light, kept);
    }
    scope_.left_out.insert(scope_.left_out.end(), light.begin(), light.end());
    return kept;
  }

  void KeepHeaviest(uint64_t light_ns, std::vector<Edge>& light, std::vector<Edge>& kept) const {
    std::stable_sort(light.begin(), light.end(),
                     [](const Edge& a, const Edge& b) { return a.own_ns > b.own_ns; });
    size_t taken = 0;
    // Equals stay together, or the outcome would depend on the order of the vertices.
    while (taken < light.size() && (measures_.OfRecording(light_ns) >= kMatters ||
                                    light[taken].own_ns == kept.back().own_ns)) {
      light_ns -= light[taken].own_ns;
      kept.push_back(light[taken++]);
    }
    light.erase(light.begin(), light.begin() + static_cast<ptrdiff_t>(taken));
  }

  void AddIdleEdges(uint32_t device) {
    uint64_t idle_ns = 0;
    uint64_t users_ns = 0;
    for (const Edge& edge : measures_.edges_from(device)) {
      idle_ns += edge.own_ns;
      if (scope_.contains[edge.to]) users_ns += edge.own_ns;
    }
    const double not_busy_ns =
        measures_.span_ns() - static_cast<double>(measures_.vertex(device).busy_ns);
    if (not_busy_ns > static_cast<double>(idle_ns)) idle_ns = static_cast<uint64_t>(not_busy_ns);
    if (measures_.OfRecording(idle_ns) < kMatters) return;

    const double share = std::min(1.0, measures_.OfRecording(idle_ns));
    bool has_user = false;
    for (const Edge& edge : measures_.edges_from(device)) {
      if (!scope_.contains[edge.to] || edge.own_ns == 0) continue;
      // A user that gives the device little of its work is a stray.
      if (static_cast<double>(edge.own_ns) < kMatters * static_cast<double>(users_ns)) continue;
      has_user = true;
      scope_.edges.push_back({device, edge.to, std::max(edge.weight_ns, idle_ns), idle_ns, share});
    }
    if (has_user) return;
    for (const uint32_t waiter : waiters_[device]) {
      scope_.edges.push_back({device, waiter, idle_ns, idle_ns, share});
    }
  }

  const Measures& measures_;
  const std::vector<char>& allowed_;
  const std::vector<char>& is_target_;
  std::vector<std::vector<uint32_t>> waiters_;  // of devices
  Scope scope_;
};

}  // namespace

Scope MakeScope(const Measures& measures, const std::vector<uint32_t>& starts,
                const std::vector<char>& allowed, const std::vector<char>& is_target) {
  return ScopeMaker(measures, allowed, is_target).Make(starts);
}

}  // namespace gordian
