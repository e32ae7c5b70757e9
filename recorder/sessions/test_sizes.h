// SPDX-License-Identifier: Apache-2.0
// Sizes that tests speak of.
#pragma once

#include <cstdint>

namespace gordian {

inline constexpr uint64_t kMiB = 1 << 20;

}  // namespace gordian
