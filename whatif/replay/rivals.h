// Other programs on the same CPUs, in a replay.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "whatif/score/score.h"

namespace gordian {

// Who came first at the CPUs, the program or others, is not recorded (niceness, weights of groups),
// and those others may do as much in less time or take their time. Of three ways to see them the
// first counts, unless a later one reproduces the recording clearly better:
// - others are no part of the replay, but what the program's threads lost to them as they were
//   ready to run is (not if the number of CPUs changes: it would not stay as it was);
// - the program comes first, others get what is left over (kernel threads keep their place);
// - all are alike.
// `miss` tells of the score as it is how far a replay with nothing changed is from the recording.
void SettleRivals(Score& score, std::span<const uint8_t> is_other, bool same_cpus,
                  const std::function<double()>& miss);

}  // namespace gordian
