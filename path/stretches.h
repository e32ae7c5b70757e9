// SPDX-License-Identifier: Apache-2.0
// The path as a picture shows it: a thousand parts at most. Inner to the library.
#pragma once

#include <span>
#include <vector>

#include "path/job_path.h"
#include "path/processes.h"
#include "path/walk.h"

namespace gordian {

// `steps` in order of time, without gaps. Each of `parts` equal parts of their time goes to the
// command and state that has most of it; neighbours that are alike are one stretch.
std::vector<PathStretch> StretchesOf(std::span<const PathStep> steps, const JobProcesses& processes,
                                     uint32_t parts);

}  // namespace gordian
