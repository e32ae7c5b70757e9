// SPDX-License-Identifier: Apache-2.0
// Writes a model file anew with other rules.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "jobs/job/job.h"

namespace gordian {

// The model in `text`, with the rules and capacities of `job` instead of its own. The first types
// and resources of `job` are the model's, in its order; further types are those that the data
// named, and are written if they have a rule of their own. Rules that are the same keep their
// words.
//
// Everything else is kept, except comments below the first lines: the library that reads YAML drops
// them. The result is checked: it reads back, and says the same. `unnamed` counts types that a
// model cannot name, and whose rules are lost.
absl::StatusOr<std::string> WithRules(std::string_view text, std::string_view file,
                                      const JobModel& job, size_t& unnamed);

}  // namespace gordian
