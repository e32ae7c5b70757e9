// SPDX-License-Identifier: Apache-2.0
// Stacks as pprof reads them: gzip around a profile.proto with three values for each stack
// (samples, nanoseconds off the CPUs, nanoseconds on them) and the labels process, thread and
// waits_for.
#pragma once

#include <span>
#include <string>

#include "report/weighted_stacks.h"

namespace gordian {

std::string PprofProfile(std::span<const WeightedStack> stacks, const Code& code,
                         double recorded_seconds);

}  // namespace gordian
