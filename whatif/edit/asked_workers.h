// SPDX-License-Identifier: Apache-2.0
// Kernel threads that are asked to begin an operation of a disk (a worker of the block layer that
// sends a flush), seen as a part of that operation.
#pragma once

#include <optional>
#include <span>

#include "whatif/edit/edit.h"
#include "whatif/score/score.h"

namespace gordian {

// Where operations are gone, nobody asks for them. A stretch of a kernel thread's program goes with
// one if a thread began it that next waits for that operation, and if it does nothing but run, ask
// disks for what only such threads wait for, and end such waits. Nothing if there is no such
// stretch.
//
// CollapseRelays is about threads that wait for a disk themselves, and pass on that it is done.
std::optional<Score> TakeOutAskedWorkers(const Score& score, std::span<const WaitChange> waits,
                                         std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
