// SPDX-License-Identifier: Apache-2.0
// Attribution against the paper taken literally, and the properties of any job.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/random_jobs.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

constexpr double kNearEnough = 1e-6;

bool Near(double a, double b) { return std::abs(a - b) <= kNearEnough * (1 + std::abs(a)); }

// Section III-D word by word: matrices of all phases and timeslices, no columns, no ranges. Samples
// must begin and end with timeslices.
class LiteralGrade10 {
 public:
  explicit LiteralGrade10(const Job& job) : job_(job) {
    double end_ms = 0;
    for (const Phase& phase : job.phases) {
      end_ms = std::max({end_ms, Ms(phase.start_ns), Ms(phase.end_ns)});
    }
    slices_ = static_cast<int>(std::ceil(end_ms / 10));
  }

  // use[phase][slice]; the last row is the unattributed use.
  std::vector<std::vector<double>> Attribute(ResourceId resource) const {
    const double capacity = job_.resources[resource].capacity;
    const size_t phases = job_.phases.size();
    std::vector<std::vector<double>> exact(phases, std::vector<double>(slices_, 0));
    std::vector<std::vector<double>> weight = exact;
    std::vector<double> exact_sum(slices_, 0);
    std::vector<double> weight_sum(slices_, 0);
    for (PhaseId p = 0; p < phases; ++p) {
      const AttributionRule& rule =
          job_.model.rule(job_.phases[p].type, job_.resources[resource].type);
      for (int s = 0; s < slices_; ++s) {
        if (!IsActive(p, s) || !IsOnNode(p, resource)) continue;
        if (rule.kind == RuleKind::kExact) exact[p][s] = rule.amount * capacity;
        const bool is_weighted =
            rule.kind == RuleKind::kVariable || (rule.kind == RuleKind::kLeaves && !IsComposite(p));
        if (is_weighted) weight[p][s] = rule.amount;
        exact_sum[s] += exact[p][s];
        weight_sum[s] += weight[p][s];
      }
    }
    const std::vector<double> use = Upsample(resource, capacity, exact_sum, weight_sum);
    std::vector<std::vector<double>> result(phases + 1, std::vector<double>(slices_, 0));
    for (int s = 0; s < slices_; ++s) {
      const double shared = std::min(use[s], capacity);
      const double first = std::min(shared, exact_sum[s]);
      double left = use[s];
      for (PhaseId p = 0; p < phases; ++p) {
        if (exact_sum[s] > 0) result[p][s] += first * exact[p][s] / exact_sum[s];
        if (weight_sum[s] > 0) result[p][s] += (shared - first) * weight[p][s] / weight_sum[s];
        left -= result[p][s];
      }
      result[phases][s] = left;
    }
    return result;
  }

 private:
  static double Ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

  bool IsPresent(PhaseId p, int s) const {
    const auto nearest = [](uint64_t ns) { return std::floor(Ms(ns) / 10 + 0.5); };
    return s >= nearest(job_.phases[p].start_ns) && s <= nearest(job_.phases[p].end_ns) - 1;
  }
  bool IsAncestor(PhaseId around, PhaseId p) const {
    for (PhaseId at = job_.phases[p].parent; at != kNoId; at = job_.phases[at].parent) {
      if (at == around) return true;
    }
    return false;
  }
  bool IsComposite(PhaseId phase) const {
    return std::any_of(job_.phases.begin(), job_.phases.end(),
                       [phase](const Phase& other) { return other.parent == phase; });
  }

  bool IsActive(PhaseId p, int s) const {
    if (!IsPresent(p, s)) return false;
    for (PhaseId other = 0; other < job_.phases.size(); ++other) {
      if (IsAncestor(p, other) && IsPresent(other, s)) return false;
    }
    for (const BlockedInterval& blocked : job_.blocked) {
      const ResourceTypeId type = job_.resources[blocked.resource].type;
      const bool concerned = blocked.phase == p ||
                             (IsAncestor(blocked.phase, p) &&
                              job_.model.rule(job_.phases[p].type, type).kind != RuleKind::kNone);
      const double from = std::floor(Ms(blocked.start_ns) / 10 + 0.5);
      const double to = std::floor(Ms(blocked.end_ns) / 10 + 0.5) - 1;
      if (concerned && s >= from && s <= to) return false;
    }
    return true;
  }
  bool IsOnNode(PhaseId p, ResourceId resource) const {
    const Resource& it = job_.resources[resource];
    if (!job_.model.resources[it.type].per_node || it.node.empty()) return true;
    for (PhaseId at = p; at != kNoId; at = job_.phases[at].parent) {
      if (!job_.phases[at].node.empty()) return job_.phases[at].node == it.node;
    }
    return true;
  }

  // Proportionally; a phase that is full drops out. Ends, since every round but the last takes the
  // weight of at least one phase. Both loops must compare the very same number with the room:
  // otherwise rounding could find a full phase, and no phase would drop out.
  static double Fill(std::vector<double> weights, std::vector<double>& room, double total,
                     std::vector<double>& use, int from, int to) {
    double left = total;
    while (left > 1e-12) {
      double sum = 0;
      for (int s = from; s < to; ++s) sum += weights[s];
      if (sum <= 0) break;
      const double share = left / sum;
      bool any_full = false;
      for (int s = from; s < to; ++s) {
        if (weights[s] > 0 && share * weights[s] >= room[s]) any_full = true;
      }
      for (int s = from; s < to; ++s) {
        if (weights[s] <= 0) continue;
        if (any_full && share * weights[s] < room[s]) continue;
        const double part = any_full ? room[s] : share * weights[s];
        use[s] += part;
        room[s] -= part;
        left -= part;
        if (any_full) weights[s] = 0;
      }
      if (!any_full) break;
    }
    return std::max(0.0, left);
  }

  std::vector<double> Upsample(ResourceId resource, double capacity,
                               const std::vector<double>& exact,
                               const std::vector<double>& weight) const {
    std::vector<double> use(slices_, 0);
    for (const ResourceSample& sample : job_.samples[resource]) {
      const int from = static_cast<int>(Ms(sample.start_ns) / 10);
      const int to = static_cast<int>(Ms(sample.end_ns) / 10);
      double left = sample.use * (to - from);
      std::vector<double> room(slices_, 0);
      for (int s = from; s < to; ++s) room[s] = std::min(exact[s], capacity);
      const double beyond_exact = Fill(exact, room, left, use, from, to);
      for (int s = from; s < to; ++s) room[s] = capacity - use[s];
      left = Fill(weight, room, beyond_exact, use, from, to);
      left = Fill(std::vector<double>(slices_, 1), room, left, use, from, to);
      for (int s = from; s < to; ++s) use[s] += left / (to - from);
    }
    return use;
  }

  const Job& job_;
  int slices_ = 0;
};

bool IsBlocking(const Job& job, ResourceId resource) {
  return job.model.resources[job.resources[resource].type].kind == ResourceKind::kBlocking;
}

RC_GTEST_PROP(AttributionProperty, IsThePaperTakenLiterally, ()) {
  const Job job = RandomJob({.odd = false});
  const absl::StatusOr<Attribution> attribution = Attribute(job, {});
  RC_ASSERT(attribution.ok());
  const LiteralGrade10 literal(job);
  for (ResourceId resource = 0; resource < job.resources.size(); ++resource) {
    if (IsBlocking(job, resource)) continue;
    const std::vector<std::vector<double>> expected = literal.Attribute(resource);
    double unattributed = 0;
    for (const double use : expected.back()) unattributed += use * 0.01;
    RC_ASSERT(Near(attribution->resources[resource].unattributed_use, unattributed));
    for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
      double sum = 0;
      for (const double use : expected[phase]) sum += use * 0.01;
      RC_ASSERT(Near(attribution->At(attribution->own_use, phase, resource), sum));
    }
    // And timeslice by timeslice: of the whole job, and of the last phase.
    for (const PhaseId phase : {PhaseId{0}, static_cast<PhaseId>(job.phases.size() - 1)}) {
      const UseSeries series =
          SeriesOf(job, *attribution, {}, resource, std::vector<PhaseId>{phase});
      for (size_t i = 0; i < series.use.size(); ++i) {
        double sum = 0;
        for (PhaseId within = phase; within < job.phases.size(); ++within) {
          PhaseId at = within;
          while (at != kNoId && at != phase) at = job.phases[at].parent;
          if (at == phase) sum += expected[within][series.slices.begin + i];
        }
        RC_ASSERT(Near(series.use[i], sum));
      }
    }
  }
}

RC_GTEST_PROP(AttributionProperty, NothingIsLostAndNobodyGetsMoreThanThereIs, ()) {
  const Job job = RandomJob({.odd = true});
  const absl::StatusOr<Attribution> attribution = Attribute(job, {});
  RC_ASSERT(attribution.ok());
  for (ResourceId resource = 0; resource < job.resources.size(); ++resource) {
    if (IsBlocking(job, resource)) continue;
    const ResourceColumns& columns = attribution->resources[resource];
    double attributed = 0;
    for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
      attributed += attribution->At(attribution->own_use, phase, resource);
      const UseSeries series =
          SeriesOf(job, *attribution, {}, resource, std::vector<PhaseId>{phase});
      double sum = 0;
      for (size_t i = 0; i < series.use.size(); ++i) {
        sum += series.use[i] * 0.01;
        if (series.weight[i] == 0) RC_ASSERT(series.use[i] <= series.exact_demand[i] + kNearEnough);
        RC_ASSERT(series.use[i] <= columns.limit() + kNearEnough);
        RC_ASSERT(series.use[i] <= columns.use[series.slices.begin + i] + kNearEnough);
      }
      // Phases with odd numbers may run beside the phase that contains them.
      RC_ASSERT(Near(sum, attribution->At(attribution->use, phase, resource)));
    }
    RC_ASSERT(Near(attributed, attribution->At(attribution->use, 0, resource)));
    RC_ASSERT(Near(attributed + columns.unattributed_use, columns.total_use));
    double in_slices = 0;
    for (const double use : columns.use) {
      RC_ASSERT(use >= 0);
      in_slices += use * 0.01;
    }
    RC_ASSERT(Near(in_slices, columns.total_use));
  }
}

RC_GTEST_PROP(AttributionProperty, SamplesWithinTheJobKeepTheirSums, ()) {
  const Job job = RandomJob({.odd = false});
  for (const Upsampling upsampling : {Upsampling::kByDemand, Upsampling::kConstant}) {
    const absl::StatusOr<Attribution> attribution = Attribute(job, {.upsampling = upsampling});
    RC_ASSERT(attribution.ok());
    for (ResourceId resource = 0; resource < job.resources.size(); ++resource) {
      double sampled = 0;
      for (const ResourceSample& sample : job.samples[resource])
        sampled += sample.use * static_cast<double>(sample.end_ns - sample.start_ns) * 1e-9;
      RC_ASSERT(Near(attribution->resources[resource].total_use, sampled));
    }
  }
}

RC_GTEST_PROP(AttributionProperty, TheOrderOfPhasesDoesNotMatter, ()) {
  const Job job = RandomJob({.odd = true});
  const Reordered other = Reorder(job);
  const absl::StatusOr<Attribution> a = Attribute(job, {.threads = 1});
  const absl::StatusOr<Attribution> b = Attribute(other.job, {.threads = 2});
  RC_ASSERT(a.ok() && b.ok());
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    for (ResourceId resource = 0; resource < job.resources.size(); ++resource)
      RC_ASSERT(Near(a->At(a->use, phase, resource), b->At(b->use, other.new_id[phase], resource)));
  }
}

// If use follows the Exact demand, any samples find it back: more of them cannot hurt.
RC_GTEST_PROP(AttributionProperty, MoreSamplesNeverHurtInTheExactCase, ()) {
  std::vector<SliceDemand> demands;
  const int slices = *rc::gen::inRange(1, 40);
  for (int i = 0; i < slices; ++i)
    demands.push_back({static_cast<double>(*rc::gen::inRange(0, 101)), 0});
  const double used = *rc::gen::inRange(0, 101) / 100.0;
  JobBuilder builder = JobOfDemands(demands);
  for (int from = 0; from < slices;) {
    const int to = std::min(slices, from + *rc::gen::inRange(1, 12));
    double sum = 0;
    for (int s = from; s < to; ++s) sum += used * demands[s].exact;
    builder.Sample(0, 10.0 * from, 10.0 * to, sum / (to - from));
    from = to;
  }
  const absl::StatusOr<Attribution> attribution = Attribute(builder.Build(), {});
  RC_ASSERT(attribution.ok());
  for (int s = 0; s < slices; ++s)
    RC_ASSERT(Near(attribution->resources[0].use[s], used * demands[s].exact));
}

}  // namespace
}  // namespace gordian
