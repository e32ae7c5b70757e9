// SPDX-License-Identifier: Apache-2.0
// Threads of pools, and which pieces of work they have taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

class PieceTakers {
 public:
  explicit PieceTakers(const Score& score)
      : score_(score),
        next_(score.pools.size()),
        pool_of_(score.pools.empty() ? 0 : score.threads(), kNoPool) {
    for (uint32_t pool = 0; pool < score.pools.size(); ++pool) {
      for (const EntityId thread : score.pools[pool].threads) pool_of_[thread] = pool;
    }
  }

  // The next piece of the thread's pool; null without a pool, or if no piece is left.
  const Pool::Piece* Take(EntityId thread) {
    if (pool_of_.empty() || pool_of_[thread] == kNoPool) return nullptr;
    const Pool& pool = score_.pools[pool_of_[thread]];
    size_t& next = next_[pool_of_[thread]];
    return next == pool.pieces.size() ? nullptr : &pool.pieces[next++];
  }

 private:
  static constexpr uint32_t kNoPool = 0xffffffff;
  const Score& score_;
  std::vector<size_t> next_;       // by pool
  std::vector<uint32_t> pool_of_;  // by thread; empty without pools
};

}  // namespace gordian
