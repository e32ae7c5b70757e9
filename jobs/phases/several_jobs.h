// SPDX-License-Identifier: Apache-2.0
// Jobs that ran at the same time on the same machines, as one: they share the resources, so only
// together can the use of these be told from their phases.
#pragma once

#include <span>
#include <string>

#include "jobs/phases/read_job.h"

namespace gordian {

// Each job becomes a phase within one new root, under its own name ("spark", "spark 2").
// - Types of phases stay apart, also if two jobs have the same model.
// - Consumable resources are shared: those with the same name are one. Their samples are those of
//   the first job that has any; others' must be the same, or they are counted and left out.
// - Blocking resources belong to their job: garbage collection of one holds up no other.
// `jobs` must not be empty; one alone stays as it is.
JobReading MergeJobs(std::span<const JobReading> jobs);

}  // namespace gordian
