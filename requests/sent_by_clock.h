// SPDX-License-Identifier: Apache-2.0
// Whether a thread asks servers when an answer or other work comes to it, or when a timer of its
// own ends: a rate limiter, a pause between requests, a poll. Then faster answers alone let it ask
// no more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/requests.h"

namespace gordian {

// Whether the wait before that was ended by a timer.
bool IsSentByClock(const Timeline& timeline, EntityId asker, uint64_t sent_ns);

struct SentByClock {
  EntityId asker = kNobody;
  std::vector<EntityId> servers;  // the threads that answered it, in order
  uint64_t requests = 0;          // that were looked at
  uint64_t by_clock = 0;          // of these: the wait before was ended by a timer
};

// One for each of these threads that asks, in order. At most a thousand requests of all are looked
// at, evenly spread.
std::vector<SentByClock> FindSentByClock(const Timeline& timeline, const FoundRequests& found,
                                         std::span<const uint8_t> is_target);

}  // namespace gordian
