// SPDX-License-Identifier: Apache-2.0
// The resource samples of a session as resources of a job.
//
//   cpu            cores in use, of all its CPUs together
//   disk           share of the time with requests in flight, by disk
//   disk_read, disk_write, net_receive, net_send    B/s, by disk and by interface
//   disk_bytes     B/s read and written together, of disks of which a person told how many
//   memory, swap   B, only if the model has them: they are no rates
#pragma once

#include "absl/status/status.h"
#include "jobs/sources/job_clock.h"
#include "jobs/tree/phase_collector.h"
#include "trace/resource_readings.h"
#include "trace/session_reader.h"

namespace gordian {

// They are of the collector's default node. Samples that make no sense are left out: whoever
// analyzes the recording counts them. `told`: capacities that the kernel does not tell.
absl::Status ReadSessionResources(SessionReader& session, const ToldCapacities& told,
                                  PhaseCollector& collector, const ClockOfJob& to_job = {});

}  // namespace gordian
