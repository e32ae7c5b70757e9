// How far upsampling can be trusted for a job: the table of gordian phases --validate.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "cli/job_analysis.h"

namespace gordian {

// A table for each resource with samples; with a recording, first one for what it measured itself.
// FailedPrecondition if there is nothing to compare with.
absl::StatusOr<std::string> AccuracyText(const Job& job, const JobArguments& arguments,
                                         const Timeline* timeline);

}  // namespace gordian
