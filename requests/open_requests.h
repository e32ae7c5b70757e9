// SPDX-License-Identifier: Apache-2.0
// How many requests are open at once.
#pragma once

#include <cstdint>
#include <span>

#include "requests/requests.h"

namespace gordian {

struct OpenAtOnce {
  // Of 98 % of the time, while any were open, no more than so many were.
  uint64_t most = 0;
  uint64_t as_many_ns = 0;  // for so long at least so many were open
};

OpenAtOnce OpenAtOnceOf(std::span<const Request* const> requests);

}  // namespace gordian
