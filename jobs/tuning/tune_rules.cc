// SPDX-License-Identifier: Apache-2.0
#include "jobs/tuning/tune_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"
#include "jobs/learning/activity.h"
#include "jobs/learning/weight_fit.h"
#include "jobs/models/rule_words.h"
#include "jobs/tuning/observed_resource.h"
#include "jobs/tuning/thresholds.h"

namespace gordian {
namespace {

// Rules are read by people: two digits are more than samples tell.
double TwoDigits(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  // Divided rather than multiplied by a fraction: 0.97 and 97 / 100 are the same number.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

// Rules on trial.
struct Rules {
  FittedWeights weights;
  std::map<PhaseTypeId, AttributionRule> of;
  double capacity = 0;  // of each instance; 0: as it is
};

enum class CapacityChoice : uint8_t { kAsItIs, kAsSeen };

// One type of resource, all of its instances.
class Tuner {
 public:
  // `job` gets rules on trial, and its own back.
  Tuner(Job& job, ResourceTypeId type, const Timeslices& slices, const Activity& activity)
      : job_(job), type_(type), activity_(activity), observed_(job, type, slices, activity) {}

  TunedResource Tune(std::span<const MeasuredUse> measured) {
    TunedResource tuned{.resource = type_, .outcome = TuneOutcome::kTooMuch};
    if (!observed_.Read(measured)) return tuned;
    tuned.by_records = observed_.by_records();
    tuned.samples = observed_.samples();
    tuned.interval_ns = observed_.MedianLength();
    tuned.outcome = TuneOutcome::kNoUse;
    if (!observed_.has_use()) return tuned;
    tuned.outcome = TuneOutcome::kTooLittle;
    if (!observed_.has_both_halves()) return tuned;
    tuned.error_constant = HeldBackError(Rules(), Rules(), Upsampling::kConstant);
    tuned.error_before = HeldBackError(Rules(), Rules());
    tuned.outcome = TuneOutcome::kNotBetter;
    const std::optional<Rules> best = Choose(tuned);
    if (best) {
      tuned.outcome = TuneOutcome::kTuned;
      tuned.capacity_after = best->capacity;
    }
    ListRules(best, tuned);
    return tuned;
  }

 private:
  // The rules that do best on held-back time, if they do clearly better than the model's own. Which
  // are best does not depend on the model's own: so a second tune finds the same ones. The simplest
  // come first, and each of the others must do clearly better than those before.
  std::optional<Rules> Choose(TunedResource& tuned) {
    const auto plain = observed_.FitTo(std::nullopt, 0);
    if (!plain) return std::nullopt;
    double least = std::numeric_limits<double>::infinity();
    std::optional<Rules> best;
    for (const CapacityChoice choice : {CapacityChoice::kAsItIs, CapacityChoice::kAsSeen}) {
      for (const RuleKind kind : {RuleKind::kVariable, RuleKind::kExact}) {
        if (!CanBeSaid(kind, choice)) continue;
        auto both = FitTo(std::nullopt, kind, choice, *plain);
        const auto first = FitTo(0, kind, choice, *plain);
        const auto second = FitTo(1, kind, choice, *plain);
        if (!both || !first || !second) return std::nullopt;
        const double error = HeldBackError(*second, *first);
        if (!(error < kWorthIt * least)) continue;
        least = error;
        best = *std::move(both);
      }
    }
    if (!(least < kWorthIt * tuned.error_before)) return std::nullopt;
    tuned.error_after = least;
    return best;
  }

  bool CanBeSaid(RuleKind kind, CapacityChoice choice) const {
    const ResourceType& resource = job_.model.resources[type_];
    if (kind == RuleKind::kExact && UnitOfResource(resource).empty()) return false;
    return choice == CapacityChoice::kAsItIs || !(resource.capacity > 0);
  }

  // Whatever they are fitted to, there are rules for the same phases: those of which all samples
  // tell enough. Otherwise the model's own rules would matter. Rules start from the default where a
  // half lacks those phases.
  std::optional<Rules> FitTo(ObservedResource::Half half, RuleKind kind, CapacityChoice choice,
                             const FittedWeights& plain) const {
    Rules rules;
    if (choice == CapacityChoice::kAsSeen) rules.capacity = TwoDigits(observed_.CapacitySeen(half));
    auto weights = observed_.FitTo(half, rules.capacity);
    if (!weights) return std::nullopt;
    rules.weights = *std::move(weights);
    const auto& of = rules.weights.of;
    for (const auto& [type, weight] : plain.of) {
      if (!weight.has_evidence) continue;
      const auto own = of.find(type);
      const double by_default = activity_.IsComposite(type) ? 0 : rules.weights.level;
      AddRule(type, own == of.end() ? by_default : own->second.in_unit, kind, rules);
    }
    return rules;
  }

  void AddRule(PhaseTypeId type, double in_unit, RuleKind kind, Rules& rules) const {
    const double share = in_unit / rules.weights.level;
    AttributionRule rule{kind, TwoDigits(kind == RuleKind::kExact ? in_unit : share)};
    rule.in_unit = kind == RuleKind::kExact;
    const bool is_nothing = share < kNothing || rule.amount == 0;
    rules.of[type] = is_nothing ? AttributionRule{RuleKind::kNone, 0} : rule;
  }

  // With rules for each half: those that were fitted to the other one.
  double HeldBackError(const Rules& of_first, const Rules& of_second,
                       Upsampling upsampling = Upsampling::kByDemand) {
    ObservedResource::Miss sum;
    const std::vector<AttributionRule> own_rules = job_.model.rules;
    const std::vector<Resource> own_resources = job_.resources;
    for (const size_t half : {0, 1}) {
      SetRules(half == 0 ? of_first : of_second);
      const ObservedResource::Miss miss = observed_.MissOf(job_, half, upsampling);
      sum.distance += miss.distance;
      sum.total += miss.total;
      job_.model.rules = own_rules;
      job_.resources = own_resources;
    }
    return sum.total > 0 ? sum.distance / sum.total : 0;
  }

  void SetRules(const Rules& rules) {
    for (const auto& [type, rule] : rules.of)
      job_.model.rules[type * job_.model.resources.size() + type_] = rule;
    for (Resource& resource : job_.resources) {
      if (resource.type == type_ && rules.capacity > 0) resource.capacity = rules.capacity;
    }
  }

  void ListRules(const std::optional<Rules>& best, TunedResource& tuned) const {
    for (const auto& [type, seconds] : observed_.ActiveSeconds()) {
      TunedRule rule{.type = type,
                     .before = job_.model.rule(type, type_),
                     .after = job_.model.rule(type, type_),
                     .active_s = seconds};
      if (best) {
        const auto found = best->of.find(type);
        if (found != best->of.end() && !SaysTheSame(rule, found->second))
          rule.after = found->second;
        rule.has_evidence = found != best->of.end();
      }
      tuned.rules.push_back(rule);
    }
  }

  // Phases that consist of others use nothing by "leaves", too.
  bool SaysTheSame(const TunedRule& rule, const AttributionRule& after) const {
    return after.kind == RuleKind::kNone && rule.before.kind == RuleKind::kLeaves &&
           activity_.IsComposite(rule.type);
  }

  Job& job_;
  const ResourceTypeId type_;
  const Activity& activity_;
  ObservedResource observed_;
};

// Whether a rule says None must not keep its phases from being looked at.
Job WithoutRules(const Job& job) {
  Job open = job;
  const size_t columns = job.model.resources.size();
  for (size_t i = 0; i < open.model.rules.size(); ++i) {
    if (job.model.resources[i % columns].kind == ResourceKind::kConsumable)
      open.model.rules[i] = {};
  }
  return open;
}

}  // namespace

absl::StatusOr<std::vector<TunedResource>> TuneRules(std::span<const MeasuredUse> measured,
                                                     uint64_t slice_ns, size_t resources,
                                                     Job& job) {
  if (slice_ns == 0) return absl::InvalidArgumentError("a timeslice must last 1 ns or more");
  absl::Status status = CheckJob(job);
  if (status.ok()) status = CheckMeasured(job, measured);
  if (!status.ok()) return status;
  const Timeslices slices = TimeslicesOf(job, slice_ns);
  if (slices.count > AttributionOptions{}.max_cells) {
    return absl::InvalidArgumentError(
        "the job has too many timeslices to hold; choose longer ones, or look for a wrong time");
  }
  const Job open = WithoutRules(job);
  const Activity activity(open, slice_ns);
  std::vector<TunedResource> all;
  for (ResourceTypeId type = 0; type < std::min(resources, job.model.resources.size()); ++type) {
    if (job.model.resources[type].kind == ResourceKind::kBlocking) continue;
    all.push_back(Tuner(job, type, slices, activity).Tune(measured));
  }
  for (const TunedResource& tuned : all) {
    for (const TunedRule& rule : tuned.rules)
      job.model.rules[rule.type * job.model.resources.size() + tuned.resource] = rule.after;
    if (tuned.capacity_after == 0) continue;
    job.model.resources[tuned.resource].capacity = tuned.capacity_after;
    for (Resource& resource : job.resources) {
      if (resource.type == tuned.resource) resource.capacity = tuned.capacity_after;
    }
  }
  return all;
}

}  // namespace gordian
