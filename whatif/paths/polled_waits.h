// SPDX-License-Identifier: Apache-2.0
// Locks that threads look for by the clock: whoever finds one taken sleeps for a while, and tries
// again (SQLite's file lock).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "whatif/paths/paths.h"
#include "whatif/play/play.h"
#include "whatif/score/score.h"

namespace gordian {

// Sleeps of threads that wait so for alike threads whose operations are gone.
//
// No record tells of such a lock, but it shows in what threads do. First, their operations (a sync)
// do not meet: of as many as would begin by chance while another thread's is under way, hardly any
// does. Second, they sleep again and again, and do nothing between. So the sleeps are for whoever
// has the lock, and are as much shorter as its hold is: what it does from the wait before such an
// operation to the one behind it.
class PolledWaits {
 public:
  // `variation` tells what is gone. Time: a pass over the steps, and a sort of the waits that are
  // gone.
  PolledWaits(const Score& score, const Variation& variation, std::span<const Path> paths,
              std::span<const uint32_t> vertex_of_entity);

  bool any() const { return !left_.empty(); }
  // By thread: the factor of its sleeps if the whole is `gain` times as fast. A sleep is `left` of
  // its length; and the lock, held for as much shorter, is found taken less often (ShrunkWaits).
  std::vector<double> SleepFactors(double gain) const;
  // … if it is found taken as often as recorded.
  std::vector<double> LeastChange() const { return SleepFactors(kAlwaysMet); }

 private:
  static constexpr double kAlwaysMet = 1e9;

  EntityId threads_ = 0;
  std::map<EntityId, double> left_;  // of the sleeps of a thread that polls
};

}  // namespace gordian
