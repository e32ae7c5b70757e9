// SPDX-License-Identifier: Apache-2.0
// The work that alike threads have left, when one of them is through with its recorded work.
//
// Threads of a kind that do not wait for each other any more go on at their own pace. A thread that
// did little in the recording, as it rarely got the lock, would run out of work, although in truth
// there is always more. So it takes over the later half of the work of the thread of its kind that
// has most left. Only threads that were there until the recording ended do so, and only for work
// that lasted some time. Each time halves the rest, so this ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "whatif/play/players.h"
#include "whatif/score/score.h"

namespace gordian {

struct StepRange {
  size_t begin = 0;
  size_t end = 0;
};

class WorkLeft {
 public:
  // `kind`, by thread; empty: no thread takes over work.
  WorkLeft(const Score& score, const std::vector<uint32_t>& kind);

  struct Share {
    EntityId from = kNobody;  // kNobody if no work is worth it
    StepRange steps;
  };
  // The later half of the work of the thread of its kind that has most left. It begins with a wait,
  // or, if there are locks, with the attempt to get one: the cut never lies where a thread holds a
  // lock.
  Share MostOf(EntityId thread, const std::vector<Player>& players) const;

 private:
  StepRange LaterHalf(const StepRange& left) const;  // empty if that is not worth it
  uint64_t RecordedNs(const StepRange& range) const;
  bool MayBegin(const Step& step) const;

  const Score& score_;
  const std::vector<uint32_t>& kind_;
  std::vector<uint8_t> lasts_;                       // by thread: until the recording ended
  std::map<uint32_t, std::vector<EntityId>> mates_;  // by kind
  uint64_t least_ns_ = 0;
};

}  // namespace gordian
