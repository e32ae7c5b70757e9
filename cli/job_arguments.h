// SPDX-License-Identifier: Apache-2.0
// The common options of `gordian phases` and `gordian traffic` on a job.
#pragma once

#include <CLI/CLI.hpp>

#include "analysis/recorded_job.h"

namespace gordian {

// --log, --model and --zone; all. The request must outlive the parse.
void AddLogOptions(CLI::App& command, JobRequest& request);
void AddJobOptions(CLI::App& command, JobRequest& request);

}  // namespace gordian
