// SPDX-License-Identifier: Apache-2.0
// What a job used of a resource, as fitting its rules needs it. Inner to the library.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "jobs/attribution/attribution.h"

namespace gordian {

struct ObservedUse {
  std::vector<ResourceSample> samples;  // in order and apart, within the job
  // By sample: the use of each type's phases, in order of types. Empty: only the sum is known.
  std::vector<std::vector<std::pair<PhaseTypeId, double>>> by_type;
};

// By records: a sample for each timeslice, of what the phases used themselves.
ObservedUse UseByRecords(const Job& job, const Timeslices& slices, const MeasuredUse& measured);
// By the job's samples.
ObservedUse UseBySamples(const Job& job, const Timeslices& slices, ResourceId resource);

}  // namespace gordian
