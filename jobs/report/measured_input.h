// SPDX-License-Identifier: Apache-2.0
// The records' measurement, in the form that the attribution needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "jobs/attribution/attribution.h"
#include "jobs/job/job.h"
#include "jobs/measured/measured.h"

namespace gordian {

// For each resource of `job` on `node` (the recorded one) that the measurement knows: the CPUs as
// `cpu`, disks as `disk_read` and `disk_write`, interfaces as `net_send` and `net_receive`, by
// name. Their use is known, except while a phase runs whose threads the recording did not meet.
std::vector<MeasuredUse> MeasuredInput(const Job& job, const PhaseMeasurement& measurement,
                                       const std::string& node);

// Measures each node of a recording while the job ran, in slices of that length. Of many nodes only
// a node's own resources count: no single node tells the use of shared ones.
std::vector<MeasuredUse> MeasureJob(const Timeline& timeline, const Job& job, uint64_t slice_ns,
                                    int threads);

}  // namespace gordian
