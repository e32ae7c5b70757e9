// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "jobs/issues/candidates.h"
#include "jobs/issues/thresholds.h"

namespace gordian {
namespace {

// The duration of each phase, of the mean of its siblings and of the others of its type in the
// widest scope.
class Ratios {
 public:
  Ratios(const IssueInput& input, std::span<const GroupLevel> levels)
      : job_(input.job), replay_(input.replay), pool_of_(input.job.phases.size(), kNoId) {
    // By type, the widest comes last.
    for (size_t i = 0; i < levels.size(); ++i) {
      if (i + 1 < levels.size() && levels[i + 1].type == levels[i].type) continue;
      for (const Group& group : levels[i].groups) {
        for (const PhaseId phase : group.members) {
          const uint32_t pool = static_cast<uint32_t>(pools_.size());
          pool_of_[phase] = pool;
          siblings_[{pool, job_.phases[phase].parent}].Add(Duration(phase));
        }
        pools_.emplace_back();
        for (const PhaseId phase : group.members) pools_.back().Add(Duration(phase));
      }
    }
  }

  void Set(IssuePhase& it) const {
    const uint32_t pool = pool_of_[it.phase];
    if (pool == kNoId) return;
    const Sum& around = siblings_.at({pool, job_.phases[it.phase].parent});
    const Sum& all = pools_[pool];
    const double own_ns = Duration(it.phase);
    const double siblings_ns = around.duration_ns - own_ns;
    const double others_ns = all.duration_ns - around.duration_ns;
    if (siblings_ns > 0) it.of_siblings = own_ns / (siblings_ns / (around.count - 1));
    if (others_ns > 0) it.of_others = own_ns / (others_ns / (all.count - around.count));
  }

 private:
  struct Sum {
    double duration_ns = 0;
    double count = 0;
    void Add(double more_ns) {
      duration_ns += more_ns;
      count += 1;
    }
  };
  double Duration(PhaseId phase) const {
    return static_cast<double>(replay_.baseline().duration_ns(phase));
  }

  const Job& job_;
  const Replay& replay_;
  std::vector<uint32_t> pool_of_;  // by phase
  std::vector<Sum> pools_;
  std::map<std::pair<uint32_t, PhaseId>, Sum> siblings_;
};

// The scope that gets shortest, and by how much.
void FindWorstScope(const Replay& replay, const GroupLevel& level, const Replayed& mended,
                    Issue& issue) {
  int64_t most_ns = 0;
  for (const Group& group : level.groups) {
    const int64_t before_ns = replay.baseline().duration_ns(group.scope);
    const int64_t after_ns = mended.duration_ns(group.scope);
    if (before_ns - after_ns <= most_ns) continue;
    most_ns = before_ns - after_ns;
    issue.worst_scope = group.scope;
    issue.slowdown =
        static_cast<double>(before_ns) / static_cast<double>(std::max<int64_t>(after_ns, 1));
  }
}

Issue Begin(IssueKind kind, const GroupLevel& level) {
  Issue issue;
  issue.kind = kind;
  issue.type = level.type;
  issue.scope_type = level.scope_type;
  return issue;
}

// Of all values but the one at `left_out`.
double QuantileOfOthers(const std::vector<int64_t>& sorted, size_t left_out, double share) {
  const size_t last = sorted.size() - 2;
  const auto value = [&](size_t at) {
    return static_cast<double>(sorted[at < left_out ? at : at + 1]);
  };
  const double at = share * static_cast<double>(last);
  const auto below = static_cast<size_t>(at);
  const double low = value(below);
  return low + (at - static_cast<double>(below)) * (value(std::min(below + 1, last)) - low);
}

}  // namespace

// As in a box plot, but of the others only, so that one of few cannot widen its own box; and by a
// half at least, for boxes can be very narrow.
std::vector<bool> FarAbove(std::span<const int64_t> durations_ns, const IssueOptions& options) {
  std::vector<bool> far(durations_ns.size(), false);
  if (durations_ns.size() < options.fewest_compared) return far;
  std::vector<int64_t> sorted(durations_ns.begin(), durations_ns.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < durations_ns.size(); ++i) {
    const double own = static_cast<double>(durations_ns[i]);
    const size_t at = static_cast<size_t>(
        std::lower_bound(sorted.begin(), sorted.end(), durations_ns[i]) - sorted.begin());
    const double low = QuantileOfOthers(sorted, at, 0.25);
    const double high = QuantileOfOthers(sorted, at, 0.75);
    far[i] = own > high + options.outlier_quartiles * (high - low) &&
             own > options.outlier_medians * QuantileOfOthers(sorted, at, 0.5);
  }
  return far;
}

namespace {

double OfTheOthersMedian(std::vector<int64_t> durations_ns, size_t one) {
  const auto own = static_cast<double>(durations_ns[one]);
  std::sort(durations_ns.begin(), durations_ns.end());
  const auto at = static_cast<size_t>(
      std::lower_bound(durations_ns.begin(), durations_ns.end(), static_cast<int64_t>(own)) -
      durations_ns.begin());
  return own / std::max(1.0, QuantileOfOthers(durations_ns, at, 0.5));
}

}  // namespace

std::vector<Issue> ImbalanceIssues(const IssueInput& input, std::span<const GroupLevel> levels) {
  std::vector<Issue> issues;
  const Ratios ratios(input, levels);
  for (const GroupLevel& level : levels) {
    Issue issue = Begin(IssueKind::kImbalance, level);
    ReplayTimes times = input.replay.times();
    for (const Group& group : level.groups) {
      double sum_ns = 0;
      for (const PhaseId phase : group.members)
        sum_ns += static_cast<double>(input.replay.baseline().duration_ns(phase));
      const int64_t mean_ns = std::llround(sum_ns / static_cast<double>(group.members.size()));
      for (const PhaseId phase : group.members) {
        IssuePhase it = {.phase = phase,
                         .shorter_ns = input.replay.baseline().duration_ns(phase) - mean_ns};
        ratios.Set(it);
        issue.phases.push_back(it);
        SetDuration(input.replay, phase, mean_ns, times);
      }
    }
    RankPhases(input.options.max_phases, issue);
    FindWorstScope(input.replay, level, Judge(input.replay, times, issue), issue);
    issues.push_back(std::move(issue));
  }
  return issues;
}

std::vector<Issue> OutlierIssues(const IssueInput& input, std::span<const GroupLevel> levels) {
  std::vector<Issue> issues;
  const Ratios ratios(input, levels);
  for (const GroupLevel& level : levels) {
    Issue issue = Begin(IssueKind::kOutliers, level);
    ReplayTimes times = input.replay.times();
    for (const Group& group : level.groups) {
      std::vector<int64_t> durations_ns;
      for (const PhaseId phase : group.members)
        durations_ns.push_back(input.replay.baseline().duration_ns(phase));
      const std::vector<bool> far = FarAbove(durations_ns, input.options);
      // As the paper does: the slowest of the others remains.
      int64_t slowest_ns = 0;
      for (size_t i = 0; i < far.size(); ++i)
        slowest_ns = far[i] ? slowest_ns : std::max(slowest_ns, durations_ns[i]);
      for (size_t i = 0; i < far.size(); ++i) {
        if (!far[i]) continue;
        IssuePhase it = {.phase = group.members[i],
                         .shorter_ns = durations_ns[i] - slowest_ns,
                         .of_group = OfTheOthersMedian(durations_ns, i)};
        ratios.Set(it);
        issue.phases.push_back(it);
        SetDuration(input.replay, group.members[i], slowest_ns, times);
      }
    }
    if (issue.phases.empty()) continue;
    RankPhases(input.options.max_phases, issue);
    FindWorstScope(input.replay, level, Judge(input.replay, times, issue), issue);
    issues.push_back(std::move(issue));
  }
  return issues;
}

}  // namespace gordian
