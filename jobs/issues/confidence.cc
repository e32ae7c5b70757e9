// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "jobs/issues/candidates.h"
#include "jobs/issues/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// The known use of one type of resource.
struct Knowledge {
  double use = 0;  // by phases; what other programs used bears on no phase
  double measured = 0;
  double covered = 0;  // timeslices
  double slices = 0;
  double sample_ns = 0;
  double samples = 0;
};

Knowledge KnowledgeOf(const IssueInput& input, ResourceTypeId type) {
  Knowledge known;
  for (ResourceId resource = 0; resource < input.job.resources.size(); ++resource) {
    if (input.job.resources[resource].type != type) continue;
    const ResourceColumns& columns = input.attribution.resources[resource];
    known.use += columns.total_use - columns.unattributed_use;
    known.measured += columns.measured_use;
    for (const float coverage : columns.coverage) known.covered += std::min(coverage, 1.0F);
    known.slices += static_cast<double>(columns.coverage.size());
    if (resource >= input.job.samples.size()) continue;
    for (const ResourceSample& sample : input.job.samples[resource])
      known.sample_ns += static_cast<double>(Range{sample.start_ns, sample.end_ns}.size());
    known.samples += static_cast<double>(input.job.samples[resource].size());
  }
  return known;
}

class Doubter {
 public:
  Doubter(const IssueInput& input, Issue& issue) : input_(input), issue_(issue) {}

  void OfResource(ResourceTypeId type) {
    const ResourceType& resource = input_.job.model.resources[type];
    if (resource.kind == ResourceKind::kBlocking) return;
    Doubt(input_.options.doubt_of_any_amount,
          absl::StrCat("The gain is what as much ", resource.name,
                       " as the phases could take would bring. No machine has that much."));
    const Knowledge known = KnowledgeOf(input_, type);
    if (known.use > 0 && known.measured < input_.options.mostly_measured * known.use) {
      const double slices_per_sample =
          known.samples > 0 ? known.sample_ns / known.samples /
                                  static_cast<double>(input_.attribution.slices.slice_ns)
                            : 0;
      if (slices_per_sample > input_.options.coarse_sample_slices) {
        Doubt(input_.options.strong_doubt,
              absl::StrCat("Use of ", resource.name, " is estimated from samples of ",
                           static_cast<int64_t>(slices_per_sample), " timeslices each; above ",
                           input_.options.coarse_sample_slices, " the estimate is coarse."));
      } else {
        Doubt(input_.options.slight_doubt,
              absl::StrCat("Use of ", resource.name, " per phase is estimated."));
      }
    }
    if (known.slices > 0 && known.covered < input_.options.mostly_covered * known.slices) {
      Doubt(input_.options.strong_doubt,
            absl::StrCat("Use of ", resource.name, " is known for ",
                         PercentText(known.covered / known.slices), " of the time only."));
    }
  }

  void OfReplay(const ReplayTrust& trust) {
    const double makespan = static_cast<double>(std::max<int64_t>(1, trust.recorded_ns));
    const double delays = static_cast<double>(trust.delays_on_path_ns) / makespan;
    if (delays > input_.options.much_unexplained) {
      Doubt(input_.options.strong_doubt,
            absl::StrCat(PercentText(delays),
                         " of the makespan lie between phases, and no phase explains them."));
    }
    if (trust.contradicted > 0) {
      Doubt(input_.options.slight_doubt,
            absl::StrCat("The recording contradicts the order of phases in the model ",
                         trust.contradicted, " times."));
    }
  }

  void OfEnds() {
    uint64_t assumed = 0;
    for (const IssuePhase& it : issue_.phases)
      assumed += input_.job.phases[it.phase].end_assumed ? 1 : 0;
    if (assumed > 0) {
      Doubt(input_.options.strong_doubt,
            absl::StrCat("The logs do not tell the end of ", assumed, " of the ",
                         issue_.phases.size(), " phases named."));
    }
  }

 private:
  void Doubt(double factor, std::string sentence) {
    issue_.confidence *= factor;
    issue_.doubts.push_back(std::move(sentence));
  }

  const IssueInput& input_;
  Issue& issue_;
};

}  // namespace

void JudgeConfidence(const IssueInput& input, const ReplayTrust& trust, Issue& issue) {
  Doubter doubter(input, issue);
  for (const ResourceTypeId resource : issue.resources) doubter.OfResource(resource);
  if (issue.kind != IssueKind::kGaps) doubter.OfReplay(trust);
  doubter.OfEnds();
}

}  // namespace gordian
