// SPDX-License-Identifier: Apache-2.0
// Kernel threads that do a part of a wait for a disk (a journal's thread, workers, loop devices),
// seen as that wait.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "whatif/edit/edit.h"
#include "whatif/score/score.h"

namespace gordian {

// A stretch of a kernel thread's program is part of a disk wait if it waits for the disk (or for
// another such thread) and then hands over to threads whose waits for that disk change, and to no
// others. It is taken out: its latency is already that of the wait, which becomes one for a request
// of that length. Of a wait that others do instead (keeps_up) the stretch's CPU time is done there.
// Nothing if there is no such stretch.
std::optional<Score> CollapseRelays(const Score& score, std::span<const WaitChange> waits,
                                    std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
