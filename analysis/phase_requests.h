// SPDX-License-Identifier: Apache-2.0
// Phases that programs mark by their probes, as requests: a thread works on one from its beginning
// to its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recorded_phases.h"
#include "requests/requests.h"

namespace gordian {

// All of that name that begin and end within the search's range, of its target's threads. They have
// no client.
std::vector<Request> RequestsOfPhases(const RecordedPhases& phases, std::string_view name,
                                      const RequestSearch& search);

// The phase's name in "phase NAME", a progress of gordian whatif; else empty.
std::string PhaseOfProgress(std::string_view progress);

}  // namespace gordian
