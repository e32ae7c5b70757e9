// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/ranking.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/kinds/kinds.h"
#include "analyzer/findings/sureness.h"

namespace gordian {
namespace {

int Tier(const Limit& limit) {
  if (limit.apart) return 3;
  if (!FactsOf(limit.kind).limits) return 2;
  return limit.perhaps_idle ? 1 : 0;
}

// The target's work that waits for a limit.
class HeldUpWork {
 public:
  explicit HeldUpWork(const Evidence& evidence) : evidence_(evidence) {
    const Scope& scope = evidence.scope;
    first_into_.resize(evidence.measures.graph().vertices.size() + 1);
    for (const ScopeEdge& edge : scope.edges) ++first_into_[edge.to + 1];
    std::partial_sum(first_into_.begin(), first_into_.end(), first_into_.begin());
    waiters_.resize(scope.edges.size());
    std::vector<uint32_t> next(first_into_.begin(), first_into_.end() - 1);
    for (const ScopeEdge& edge : scope.edges) waiters_[next[edge.to]++] = edge.from;
  }

  double Ns(const std::vector<uint32_t>& members) const {
    std::vector<char> seen(first_into_.size());
    std::vector<uint32_t> open = members;
    for (const uint32_t id : members) seen[id] = 1;
    double held_up_ns = 0;
    while (!open.empty()) {
      const uint32_t id = open.back();
      open.pop_back();
      if (evidence_.IsTarget(id)) held_up_ns += evidence_.ActiveNs(id);
      for (uint32_t i = first_into_[id]; i < first_into_[id + 1]; ++i) {
        if (seen[waiters_[i]]) continue;
        seen[waiters_[i]] = 1;
        open.push_back(waiters_[i]);
      }
    }
    return held_up_ns;
  }

 private:
  const Evidence& evidence_;
  std::vector<uint32_t> first_into_;  // by vertex, into waiters_
  std::vector<uint32_t> waiters_;
};

// The work that a limit holds up costs a walk over the scope: only for limits that can be in the
// report.
void Shorten(std::vector<Limit>& limits) {
  if (limits.size() <= kMostLimits) return;
  std::stable_sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
    if (Tier(a) != Tier(b)) return Tier(a) < Tier(b);
    return std::max(a.share, a.waited_for) > std::max(b.share, b.waited_for);
  });
  limits.resize(kMostLimits);
}

void AddWithSuffering(const Evidence& evidence, Limit limit, std::vector<Limit>& ranked) {
  Suffering suffering;
  if (Tier(limit) == 0) {
    for (const KindRow& row : AllKinds()) {
      if (row.of_members != nullptr) row.of_members(evidence, limit, suffering);
    }
  }
  for (Limit& other : suffering.before) ranked.push_back(std::move(other));
  ranked.push_back(std::move(limit));
  for (Limit& other : suffering.after) ranked.push_back(std::move(other));
}

// A pool's threads wait for each other, as they share the way to one outside of it. Their knot and
// the outsider's sleep are one limit, and the knot is what the target's people can mend. So the
// sleep stands behind the knot: its place among the limits, or none.
std::optional<size_t> PoolBefore(const Evidence& evidence, const Limit& sleep,
                                 std::span<const Limit> limits) {
  if (!sleep.waiter) return std::nullopt;
  const uint32_t pool = sleep.waiter->from;
  const Edge* recorded = evidence.measures.FindEdge(pool, sleep.waiter->to);
  if (recorded == nullptr || sleep.waiter->share <= evidence.measures.OwnShare(*recorded))
    return std::nullopt;
  for (size_t i = 0; i < limits.size(); ++i) {
    const std::optional<ScopeEdge>& attack = limits[i].attack;
    if (attack && attack->from == pool && attack->to == pool && Tier(limits[i]) == Tier(sleep))
      return i;
  }
  return std::nullopt;
}

enum class Place { kPathOfTheJob, kMuchOfTheJob, kLimits, kGuesses, kLittleOfTheJob, kBehind };

Place PlaceOf(const pb::Finding& finding) {
  const KindFacts& facts = FactsOf(finding);
  if (facts.of_job) return Place::kPathOfTheJob;
  if (facts.of_phases)
    return finding.share() >= kMatters ? Place::kMuchOfTheJob : Place::kLittleOfTheJob;
  if (finding.apart() || !facts.limits) return Place::kBehind;
  const bool is_guess = SurenessOf(finding.confidence()).level == SurenessLevel::kGuess;
  return is_guess ? Place::kGuesses : Place::kLimits;
}

// The first waits for threads that a quota keeps from the CPUs, for most of that wait: it has no
// cause of its own.
bool IsWaitForQuota(const pb::Finding& first, const pb::Finding& second) {
  if (!second.has_cpu_quota() || !first.has_edge()) return false;
  const auto& held_back = second.members();
  return std::find(held_back.begin(), held_back.end(), first.edge().to()) != held_back.end() &&
         second.share() >= kMostOfTheTime * first.share();
}

// Members of the first sleep while others of it wait for them: one limit, told from two ends. A
// tenth of a sleep is a yardstick, as what is slept for may have to be; that others wait meanwhile
// can be mended.
bool IsSleepWithin(const pb::Finding& first, const pb::Finding& second) {
  if (FactsOf(first).name != FactsOf(FindingKind::kKnot).name ||
      FactsOf(second).name != FactsOf(FindingKind::kSleep).name || second.members().empty())
    return false;
  return std::includes(first.members().begin(), first.members().end(), second.members().begin(),
                       second.members().end());
}

// Whether the second surely gains more, or is the cause of the first.
bool IsBehind(const pb::Finding& first, const pb::Finding& second) {
  if (PlaceOf(first) != PlaceOf(second)) return false;
  if (IsWaitForQuota(first, second)) return true;
  if (first.predictions().empty() || second.predictions().empty()) return false;
  const pb::Prediction& less = first.predictions(0);
  const pb::Prediction& more = second.predictions(0);
  if (IsSleepWithin(first, second) && less.low() > kClearlyMore) return false;
  return less.ranks() && more.ranks() && IsClearlyMore(more.low(), less.high());
}

// The findings' places before, in their order now.
std::vector<uint32_t> OrderOf(const pb::Report& report) {
  std::vector<uint32_t> order(static_cast<size_t>(report.findings_size()));
  std::iota(order.begin(), order.end(), 0);
  const auto finding = [&](uint32_t place) -> const pb::Finding& {
    return report.findings(static_cast<int>(place));
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return PlaceOf(finding(a)) < PlaceOf(finding(b));
  });
  for (size_t i = 1; i < order.size(); ++i) {
    for (size_t at = i; at > 0 && IsBehind(finding(order[at - 1]), finding(order[at])); --at)
      std::swap(order[at - 1], order[at]);
  }
  return order;
}

}  // namespace

bool IsClearlyMore(double one, double other) { return one > kClearlyMore * other; }

std::vector<Limit> RankLimits(const Evidence& evidence, std::vector<Limit> limits) {
  Shorten(limits);
  const HeldUpWork held_up(evidence);
  std::vector<std::tuple<int, double, double, uint32_t, size_t>> keys;
  std::vector<std::vector<size_t>> behind(limits.size());
  for (size_t i = 0; i < limits.size(); ++i) {
    const Limit& limit = limits[i];
    if (const std::optional<size_t> pool = PoolBefore(evidence, limit, limits)) {
      behind[*pool].push_back(i);
      continue;
    }
    const bool counts = Tier(limit) <= 1;
    const double held_up_ns = counts ? held_up.Ns(limit.members) : 0;
    if (counts && RowOf(limit.kind).is_passive && held_up_ns < kMattersMuch * evidence.work_ns)
      continue;
    // How much work it holds up, and how much of that work's time it costs: only both make a loss.
    const double lost_ns = held_up_ns * CostOf(limit);
    keys.emplace_back(Tier(limit), -lost_ns, -CostOf(limit), limit.members[0], i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Limit> ranked;
  for (const auto& key : keys) {
    const size_t first = std::get<4>(key);
    AddWithSuffering(evidence, std::move(limits[first]), ranked);
    for (const size_t next : behind[first])
      AddWithSuffering(evidence, std::move(limits[next]), ranked);
  }
  return ranked;
}

void RankFindings(pb::Report& report, std::string_view verdict_without_limit) {
  const std::vector<uint32_t> order = OrderOf(report);
  std::vector<uint32_t> rank_of(order.size() + 1);  // by number before
  google::protobuf::RepeatedPtrField<pb::Finding> findings;
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank_of[order[i] + 1] = i + 1;
    *findings.Add() = std::move(*report.mutable_findings(static_cast<int>(order[i])));
    findings[static_cast<int>(i)].set_rank(i + 1);
  }
  const auto renumber = [&](uint32_t number) {
    return number < rank_of.size() ? rank_of[number] : 0;
  };
  for (pb::Finding& finding : findings) {
    for (uint32_t& number : *finding.mutable_explained_by()) number = renumber(number);
  }
  for (pb::ReportIssue& issue : *report.mutable_issues()) {
    issue.set_finding(renumber(issue.finding()));
  }
  report.mutable_findings()->Swap(&findings);
  if (report.findings_size() > 0 && PlaceOf(report.findings(0)) <= Place::kGuesses) {
    report.set_verdict(report.findings(0).title());
  } else if (!verdict_without_limit.empty()) {
    report.set_verdict(std::string(verdict_without_limit));
  }
}

}  // namespace gordian
