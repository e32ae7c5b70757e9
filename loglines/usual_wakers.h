// SPDX-License-Identifier: Apache-2.0
// Whom a thread waited for in vain. Inner to the room.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// The thread that ended that wait: the sender, if a message did. kNobody: no thread did.
EntityId WakerOfWait(const Timeline& timeline, EntityId thread, const ThreadSegment& wait,
                     uint64_t end_ns);

// Looks at all waits of a thread once, however many are asked about. The timeline must outlive it.
class UsualWakers {
 public:
  explicit UsualWakers(const Timeline& timeline) : timeline_(timeline) {}

  // Of a wait that only time ended, looked at from at_ns: a thread, or the interface through which
  // the answer would come. None that waits for this thread itself then. Without earlier ends in
  // that wait's place, the last thread that it had woken before.
  EntityId AwaitedInVain(EntityId thread, uint64_t wait_start_ns, uint64_t at_ns);

 private:
  // Who ended waits, most frequent first, and how many only time ended.
  struct Enders {
    std::vector<std::pair<uint64_t, EntityId>> by_count;
    uint64_t timed_out = 0;
  };
  struct Places {
    // Of waits by who ended the wait before (their place).
    absl::flat_hash_map<EntityId, Enders> enders;
    // The places of the waits that time ended, by their starts.
    std::vector<std::pair<uint64_t, EntityId>> timeouts;
    int looks_left = 0;  // at whom it had woken
  };
  Places PlacesOf(EntityId thread) const;
  bool IsWaitingFor(EntityId waiter, EntityId thread, uint64_t at_ns) const;
  EntityId LastWoken(EntityId thread, uint64_t wait_start_ns, uint64_t at_ns, EntityId but_not);

  const Timeline& timeline_;
  absl::flat_hash_map<EntityId, Places> places_;
  std::vector<MessageFlight> by_sender_;
};

}  // namespace gordian
