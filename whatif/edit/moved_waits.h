// SPDX-License-Identifier: Apache-2.0
// Disk operations made asynchronous: other threads do them.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/score/score.h"

namespace gordian {

// For each thread of `from` that waits for disk `to`, directly or through a kernel thread that only
// passes on its completion, helpers do so instead, in turn. A helper does all waits of one system
// call (between which the thread runs but shortly), with their requests, wakes of kernel threads,
// and `run_share` of the thread's CPU time. The thread goes on meanwhile, unless it gets too far
// ahead. (This does not shorten its own runs.)
//
// Reads overlap. Of syncs one is under way at a time, and the next one is for all that were asked
// for meanwhile: a sync stores all that was written before.
struct MovedWaits {
  uint32_t from = 0;
  uint32_t to = 0;
  double run_share = 0;
  uint32_t helpers = 1;
};
Score MoveWaits(const Score& score, const MovedWaits& moved,
                std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
