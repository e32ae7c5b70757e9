// SPDX-License-Identifier: Apache-2.0
// Other programs on the same CPUs, in a replay.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "whatif/score/score.h"

namespace gordian {

// Whether any thread is of another program.
bool HasRivals(std::span<const uint8_t> is_other);

// The recording does not tell whether the program or others came first at the CPUs (niceness,
// weights of groups). The others may do as much in less time, or take their time. Of three ways to
// see them the first counts, unless a later one reproduces the recording clearly better:
// - others are no part of the replay, but the time that the program's ready threads lost to them is
//   (not if the number of CPUs changes, as that changes this time);
// - the program comes first, others get the time left over (kernel threads keep their place);
// - all are alike.
// `miss` tells how far a replay of the score with nothing changed is from the recording.
// Without others it leaves the score as it is.
void SettleRivals(Score& score, std::span<const uint8_t> is_other, bool same_cpus,
                  const std::function<double()>& miss);

}  // namespace gordian
