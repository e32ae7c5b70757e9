// SPDX-License-Identifier: Apache-2.0
// Sizes and spans of time as people write them, also as quantities.h writes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace gordian {

// Both are exact to the last digit, and round only what is smaller than one of the result.
// InvalidArgument tells in one sentence what is wrong and how to write it.

// Nanoseconds: 250ms, 5.5s, 1m30s, "2 h 5 min", 3d. Every number has a unit: ns, us (or µs), ms, s,
// m (or min), h, d, w, or the whole word (5 seconds). Larger units come first.
absl::StatusOr<uint64_t> ParseDuration(std::string_view text);

// Bytes: 4096, 64M, 0.5G, "1.5 GiB", 20kB. Every unit is a power of 1024.
absl::StatusOr<uint64_t> ParseSize(std::string_view text);

}  // namespace gordian
