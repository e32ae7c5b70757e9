// SPDX-License-Identifier: Apache-2.0
// What is said of a job's critical path. Inner to the library.
#pragma once

#include <string>
#include <vector>

#include "path/job_path.h"

namespace gordian {

std::string PathTitle(const JobPath& path);
std::vector<std::string> PathWhy(const JobPath& path);
std::vector<std::string> PathAdvice(const JobPath& path);

// "a program runs alone", for a loss that is not the one that is told.
std::string LossInWords(PathLoss loss);

}  // namespace gordian
