// SPDX-License-Identifier: Apache-2.0
// How many requests are open at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/requests.h"

namespace gordian {

struct OpenAtOnce {
  // Of 98 % of the time, while any were open, no more than so many were.
  uint64_t most = 0;
  uint64_t as_many_ns = 0;  // for so long at least so many were open
};

OpenAtOnce OpenAtOnceOf(std::span<const Request* const> requests);

struct OpenStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

// When at least so many were open: one stretch after the other.
std::vector<OpenStretch> WhenAsManyWereOpen(std::span<const Request* const> requests,
                                            uint64_t as_many);

// How much of that time lies in such stretches.
uint64_t TimeWithin(std::span<const OpenStretch> stretches, uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
