// SPDX-License-Identifier: Apache-2.0
// From phases as they were found to the tree of a Job. Inner to the library.
#pragma once

#include "jobs/job/job.h"
#include "jobs/tree/found_phases.h"
#include "jobs/tree/phase_types.h"
#include "jobs/tree/tally.h"

namespace gordian {

// Fills the job's phases and blocked intervals.
void MakePhaseTree(const PhaseTypes& types, FoundPhases& found, Tally& tally, Job& job);

// Fills the parts that the model leaves to the data: how often phases occur within their parents,
// their order, and numbers as keys of phases without a key. And counts phases that contradict the
// model.
void SettleObserved(const PhaseTypes& types, Tally& tally, Job& job);

}  // namespace gordian
