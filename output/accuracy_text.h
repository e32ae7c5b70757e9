// SPDX-License-Identifier: Apache-2.0
// How far upsampling can be trusted for a job: the tables of gordian phases --validate.
#pragma once

#include <span>
#include <string>

#include "jobs/accuracy/job_accuracy.h"
#include "jobs/job/job.h"

namespace gordian {

// A table for each study.
std::string AccuracyText(const Job& job, std::span<const AccuracyStudy> studies);

}  // namespace gordian
