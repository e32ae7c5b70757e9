// SPDX-License-Identifier: Apache-2.0
// Fits the rules of a model to what a job used: gordian model tune.
//
// For each resource, weights are fitted for the kinds of phases (jobs/learning/weight_fit.h): to
// what records say that each kind used, else to samples of all together. They become rules in two
// ways: Variable weights, and Exact amounts in the resource's unit. Those rules are kept that
// upsample best (jobs/accuracy), and only if they do so better than the model's own.
//
// Better means: on time that they were not fitted to. The job is cut into stretches. Rules fitted
// to every other stretch are checked on those between them, and the other way round. What is
// returned in the end is fitted to all of them. The check asks nothing of the model's rules, and
// small gains change nothing. So tuning a tuned model changes nothing.
//
// A job may get less of a resource than the machine has: some of its CPUs, a quota. Then more
// phases do not use more, and no rule fits. So rules are also tried with a capacity that the job
// never exceeds for long, unless the model says the capacity itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/attribution/attribution.h"
#include "jobs/job/job.h"

namespace gordian {

enum class TuneOutcome : uint8_t {
  kTuned,
  kNotBetter,  // the model's rules upsample as well
  kTooLittle,  // too few samples for two halves
  kNoUse,      // no samples, or none with use
  kTooMuch,    // more phases in samples than there is time for
};

struct TunedRule {
  PhaseTypeId type = 0;
  AttributionRule before;
  AttributionRule after;
  double active_s = 0;        // its phases' own time within the samples
  bool has_evidence = false;  // else the rule stays
};

struct TunedResource {
  ResourceTypeId resource = 0;
  TuneOutcome outcome = TuneOutcome::kNoUse;
  bool by_records = false;  // fitted to what records say of each kind of phases
  uint64_t samples = 0;
  uint64_t interval_ns = 0;  // the median length of the samples
  // On time that was held back, of samples kTunedFactor times coarser, as shares of the use.
  double error_constant = 0;  // without any rule
  double error_before = 0;
  double error_after = 0;        // if the outcome is kTuned
  double capacity_after = 0;     // of an instance, in the unit; 0: it stays
  std::vector<TunedRule> rules;  // of types that ever demanded, in order
};

// Of the first `resources` types of resources: those that the model names. Sets the rules
// and capacities of job.model. InvalidArgument if the job is none that can be attributed.
absl::StatusOr<std::vector<TunedResource>> TuneRules(std::span<const MeasuredUse> measured,
                                                     uint64_t slice_ns, size_t resources, Job& job);

}  // namespace gordian
