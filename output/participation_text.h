// SPDX-License-Identifier: Apache-2.0
// Participation for a person to read.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "schema/participation.pb.h"

namespace gordian {

struct ParticipationTextOptions {
  size_t most_rows = 10;     // of each table
  size_t most_windows = 20;  // listed
};

// First a sentence with the essential, then a table of bars for each answer, then the windows one
// by one if there are several, then notes on what was odd. Shares are means over the windows that
// have paths, by their lengths. The answers are to one request.
std::string ParticipationText(std::span<const pb::Participation> answers,
                              const ParticipationTextOptions& options);

// How long it is, and its steps in order of time.
std::string CriticalPathText(const pb::CriticalPath& path, size_t most_steps);

}  // namespace gordian
