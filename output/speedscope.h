// SPDX-License-Identifier: Apache-2.0
// Stacks for speedscope (https://www.speedscope.app), as JSON: two profiles, of the time off and on
// the CPUs, in seconds.
#pragma once

#include <span>
#include <string>

#include "report/weighted_stacks.h"

namespace gordian {

// `name` is that of the recording.
std::string SpeedscopeJson(std::span<const WeightedStack> stacks, const Code& code,
                           const std::string& name);

}  // namespace gordian
