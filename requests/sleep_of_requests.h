// SPDX-License-Identifier: Apache-2.0
// Whose sleep requests wait for, through however many threads and servers.
#pragma once

#include <cstdint>
#include <span>

#include "requests/requests.h"

namespace gordian {

struct SleepOfRequests {
  EntityId sleeper = kNobody;  // that most of their time waits for; kNobody: no request was found
  double share = 0;            // of the requests' time
  // The sleeper answers these requests, and its event loop sleeps: others go on meanwhile.
  bool is_own_timer = false;
  uint16_t port = 0;      // of the server with most of their time
  uint64_t requests = 0;  // of that server
  double mean_s = 0;      // one of these takes, on average
  double open = 0;        // of these at a time, on average of all time
};

// Of those of `found.requests` that the target answered, within so much time. At most a thousand
// are followed, evenly spread.
SleepOfRequests FindSleepOfRequests(const FoundRequests& found, const RequestWalk& walk,
                                    std::span<const uint8_t> is_target, uint64_t searched_ns);

}  // namespace gordian
