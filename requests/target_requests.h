// SPDX-License-Identifier: Apache-2.0
// The requests that a target is there for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/requests.h"

namespace gordian {

struct TargetRequests {
  uint16_t port = 0;
  std::vector<const Request*> requests;  // in order of their answers; empty: none was found
  uint64_t time_ns = 0;                  // of all of them
};

// Of `found.requests`, which must outlive it: those that the target's threads answered, of the port
// with most of their time.
TargetRequests RequestsOfTarget(const FoundRequests& found, std::span<const uint8_t> is_target);

}  // namespace gordian
