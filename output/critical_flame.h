// SPDX-License-Identifier: Apache-2.0
// The critical flame graph: where running threads were on the critical paths of a recording, and
// for how long. A function is as wide as all paths through it would be shorter without it, at most.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/weighted_stacks.h"

namespace gordian {

enum class FlameFormat : uint8_t { kFolded, kSpeedscope, kPprof };

// By the file's ending: .json is speedscope's, .pb and .gz are pprof's, anything else is folded.
FlameFormat FlameFormatOf(std::string_view path);

// `stacks` all ran. Folded: "process;thread;main;Serve 1234567", in microseconds; runs without
// a sample are [not sampled].
std::string CriticalFlame(std::span<const WeightedStack> stacks, const Code& code,
                          FlameFormat format, const std::string& name, double recorded_seconds);

}  // namespace gordian
