// SPDX-License-Identifier: Apache-2.0
// Phases and counts that annotated programs say themselves, out of a session.
//
// Phases of one thread nest as the thread says them. The name of a phase is looked for among the
// types below the thread's phase. For a thread that helps with another's phase (workers of a
// superstep), it is then looked for as the only type of that name anywhere in the model: its parent
// is then found by time. A name that the model does not know becomes a type of its own if the model
// says `discover`; otherwise it is counted and passed over.
#pragma once

#include <string>

#include "jobs/sources/job_clock.h"
#include "jobs/tree/phase_collector.h"
#include "jobs/tree/tally.h"
#include "trace/session_reader.h"

namespace gordian {

// All of them are of the collector's default node.
void ReadProbePhases(SessionReader& session, PhaseCollector& collector, Tally& tally,
                     const ClockOfJob& to_job = {});

}  // namespace gordian
