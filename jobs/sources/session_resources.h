// The resource samples of a session as resources of a job.
//
//   cpu            cores in use, of all its CPUs together
//   disk           share of the time with requests in flight, by disk
//   disk_read, disk_write, net_receive, net_send    B/s, by disk and by interface
//   memory, swap   B, only if the model has them: they are no rates
#pragma once

#include "absl/status/status.h"
#include "jobs/sources/job_clock.h"
#include "jobs/tree/phase_collector.h"
#include "trace/session_reader.h"

namespace gordian {

// They are of the collector's default node. Samples that make no sense are left out: whoever
// analyzes the recording counts them.
absl::Status ReadSessionResources(SessionReader& session, PhaseCollector& collector,
                                  const ClockOfJob& to_job = {});

}  // namespace gordian
