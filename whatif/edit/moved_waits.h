// SPDX-License-Identifier: Apache-2.0
// A disk operation made asynchronous: another thread does it.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/score/score.h"

namespace gordian {

// For each thread of `from` that waits for disk `to`, directly or through a kernel thread that only
// passes on its completion, another thread does so instead. It does the waits, the requests, the
// wakes of kernel threads, and `run_share` of the thread's CPU time, in the recorded order. The
// thread goes on meanwhile, unless it gets too far ahead. (This does not shorten its own runs.)
struct MovedWaits {
  uint32_t from = 0;
  uint32_t to = 0;
  double run_share = 0;
};
Score MoveWaits(const Score& score, const MovedWaits& moved,
                std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
