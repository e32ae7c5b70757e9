// SPDX-License-Identifier: Apache-2.0
// Learns from coarse samples how much phases of each kind use of a resource.
//
// A model that says nothing of a resource means: a phase without phases within uses as much as any
// other (Leaves 1). The samples of the job know more. Most samples hold several kinds of phases,
// each for a part of the time, and all together they tell what each kind uses, as so many equations
// do. So those weights are looked for that explain the samples best (weight_fit.h).
//
// A resource of which the model says anything is left as the model says. So are measured ones, as
// nothing is estimated there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/job/job.h"

namespace gordian {

// Sets rules of job.model. `samples` by resource, each in order of time: job.samples, or coarser
// ones. Leaves all as it is where there is nothing to learn from, or too much.
void LearnRules(std::span<const std::vector<ResourceSample>> samples, uint64_t slice_ns, Job& job,
                std::span<const MeasuredUse> measured = {});

}  // namespace gordian
