// SPDX-License-Identifier: Apache-2.0
// The argument of `gordian traffic --per`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/job/job.h"
#include "traffic/traffic.h"

namespace gordian {

// 0.5, 10, 10s, 100ms, 2min; nothing if it is no length of time, and so the name of a phase.
// InvalidArgument for one of no length.
absl::StatusOr<std::optional<uint64_t>> ParseInterval(const std::string& text);

// The job's phases of the type with that name (its last part, or the whole path), labelled by their
// paths. `job` is on the clock of the session's node `node`. InvalidArgument, naming those there
// are, if there is no such type.
absl::StatusOr<std::vector<TrafficPhase>> PhasesNamed(const Job& job, const std::string& name,
                                                      size_t node);

}  // namespace gordian
