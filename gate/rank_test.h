// SPDX-License-Identifier: Apache-2.0
// Mann and Whitney's exact test, for Decide.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "gate/samples.h"

namespace gordian {

// The most pairs (one of each group, so many in all) that may stand in the wrong order while chance
// alone explains that with less than `false_alarms`. Nothing: not even none in the wrong order
// would do.
std::optional<size_t> MostWrongPairs(size_t first, size_t second, double false_alarms);

// Nothing if there are too few recordings for it.
std::optional<Answer> DecideByRanks(std::span<const Sample> before, std::span<const Sample> after,
                                    const Question& question, ChangeKind kind, double false_alarms);

}  // namespace gordian
