#include "analyzer/findings/ranking.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gordian {
namespace {

// Sleepers and peers that hold up less of the target's work are not worth a finding.
constexpr double kWorthTelling = 0.20;
constexpr double kNoCpuFree = 0.95;

class Ranking {
 public:
  Ranking(const Measures& measures, const Scope& scope, const Target& target)
      : measures_(measures), target_(target) {
    const size_t count = measures.graph().vertices.size();
    first_into_.resize(count + 1);
    for (const ScopeEdge& edge : scope.edges) ++first_into_[edge.to + 1];
    std::partial_sum(first_into_.begin(), first_into_.end(), first_into_.begin());
    waiters_.resize(scope.edges.size());
    std::vector<uint32_t> next(first_into_.begin(), first_into_.end() - 1);
    for (const ScopeEdge& edge : scope.edges) waiters_[next[edge.to]++] = edge.from;
  }

  std::vector<Limit> Run(std::vector<Limit> limits) {
    Shorten(limits);
    std::vector<std::tuple<int, double, double, uint32_t, size_t>> keys;
    for (size_t i = 0; i < limits.size(); ++i) {
      const bool counts = Tier(limits[i]) <= 1;
      const double held_up_ns = counts ? HeldUpNs(limits[i].members) : 0;
      if (counts && IsPassive(limits[i]) && held_up_ns < kWorthTelling * WorkNs()) continue;
      keys.emplace_back(Tier(limits[i]), -held_up_ns, -limits[i].share, limits[i].members[0], i);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Limit> ranked;
    for (const auto& key : keys) {
      Limit& limit = limits[std::get<4>(key)];
      std::vector<Limit> before;
      std::vector<Limit> after;
      if (Tier(limit) == 0) Suffering(limit, before, after);
      for (Limit& other : before) ranked.push_back(std::move(other));
      ranked.push_back(std::move(limit));
      for (Limit& other : after) ranked.push_back(std::move(other));
    }
    return ranked;
  }

 private:
  static bool IsPassive(const Limit& limit) {
    return limit.kind == LimitKind::kSleep || limit.kind == LimitKind::kOutside;
  }

  double WorkNs() const {
    double work_ns = 0;
    for (const uint32_t id : target_.workers) {
      work_ns += static_cast<double>(measures_.vertex(id).active_ns());
    }
    return work_ns;
  }

  static int Tier(const Limit& limit) {
    if (limit.apart) return 3;
    if (limit.kind == LimitKind::kBackground) return 2;
    return limit.perhaps_idle ? 1 : 0;
  }

  // What each limit holds up costs a walk over the scope: only for those that can be in the report.
  static void Shorten(std::vector<Limit>& limits) {
    if (limits.size() <= kMostLimits) return;
    std::stable_sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
      if (Tier(a) != Tier(b)) return Tier(a) < Tier(b);
      return std::max(a.share, a.waited_for) > std::max(b.share, b.waited_for);
    });
    limits.resize(kMostLimits);
  }

  double HeldUpNs(const std::vector<uint32_t>& members) const {
    std::vector<char> seen(first_into_.size());
    std::vector<uint32_t> open = members;
    for (const uint32_t id : members) seen[id] = 1;
    double held_up_ns = 0;
    while (!open.empty()) {
      const uint32_t id = open.back();
      open.pop_back();
      if (target_.is_target[id])
        held_up_ns += static_cast<double>(measures_.vertex(id).active_ns());
      for (uint32_t i = first_into_[id]; i < first_into_[id + 1]; ++i) {
        if (seen[waiters_[i]]) continue;
        seen[waiters_[i]] = 1;
        open.push_back(waiters_[i]);
      }
    }
    return held_up_ns;
  }

  void Suffering(const Limit& limit, std::vector<Limit>& before, std::vector<Limit>& after) const {
    if (limit.kind != LimitKind::kKnot && limit.kind != LimitKind::kSink) return;
    Limit starved{.kind = LimitKind::kStarvation};
    double of_limit =
        limit.kind == LimitKind::kSink ? measures_.CpuShare(limit.members[0]) : limit.share;
    for (const uint32_t id : limit.members) {
      if (!measures_.vertex(id).has_threads()) continue;
      const double runnable = measures_.RunnableShare(id);
      if (runnable >= kStarved) {
        starved.members.push_back(id);
        starved.share = std::max(starved.share, runnable);
        of_limit = std::max(of_limit, WaitsWithin(limit, id));
      }
      if (limit.kind == LimitKind::kKnot) AddSleep(id, limit, before, after);
    }
    if (starved.members.empty()) return;
    starved.waited_for = limit.waited_for;
    const bool worse = TargetFillsTheCpus() || starved.share > of_limit;
    (worse ? before : after).push_back(std::move(starved));
  }

  // All its waits in the knot, not the heaviest alone: whoever waits a quarter of the time for a
  // lock and another for the disk waits for half of it.
  static double WaitsWithin(const Limit& limit, uint32_t id) {
    double share = 0;
    for (const ScopeEdge& edge : limit.edges) {
      if (edge.from == id) share += edge.share;
    }
    return share;
  }

  // What others leave no CPU free for is another matter: without them the limit stays.
  bool TargetFillsTheCpus() const {
    double cpu_ns = 0;
    for (uint32_t id = 0; id < target_.is_target.size(); ++id) {
      if (target_.is_target[id]) cpu_ns += static_cast<double>(measures_.vertex(id).cpu_ns());
    }
    return cpu_ns >= kNoCpuFree * measures_.span_ns() * measures_.cpus();
  }

  void AddSleep(uint32_t id, const Limit& limit, std::vector<Limit>& before,
                std::vector<Limit>& after) const {
    const double asleep = measures_.TimerShare(id);
    if (asleep < kSleepy || asleep < measures_.BusyShare(id)) return;
    Limit sleep{.kind = LimitKind::kSleep, .members = {id}, .share = asleep};
    for (const ScopeEdge& edge : limit.edges) {
      if (edge.to != id || edge.from == id || measures_.vertex(edge.from).is_device()) continue;
      sleep.waited_for = std::max(sleep.waited_for, edge.share);
      if (!sleep.waiter) sleep.waiter = edge;  // they come heaviest first
    }
    if (sleep.waiter && !measures_.SleepHoldsUp(id, sleep.waited_for)) return;
    for (const Edge& edge : measures_.edges_from(id)) {
      if (measures_.vertex(edge.to).kind != VertexKind::kTimer) continue;
      sleep.attack = ScopeEdge{id, edge.to, edge.weight_ns, edge.own_ns, asleep};
    }
    (asleep > limit.share ? before : after).push_back(std::move(sleep));
  }

  const Measures& measures_;
  const Target& target_;
  std::vector<uint32_t> first_into_;  // by vertex, into waiters_
  std::vector<uint32_t> waiters_;
};

}  // namespace

std::vector<Limit> RankLimits(const Measures& measures, const Scope& scope, const Target& target,
                              std::vector<Limit> limits) {
  return Ranking(measures, scope, target).Run(std::move(limits));
}

}  // namespace gordian
