// What records measured, as the attribution wants it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/measured/measured.h"
#include "analyzer/phases/job.h"

namespace gordian {

// For each resource of `job` on `node` (the recorded one) that the measurement knows: the CPUs as
// `cpu`, disks as `disk_read` and `disk_write`, interfaces as `net_send` and `net_receive`, by
// name. Their use is known but where a phase runs whose threads the recording did not meet.
std::vector<MeasuredUse> MeasuredInput(const Job& job, const PhaseMeasurement& measurement,
                                       const std::string& node);

}  // namespace gordian
