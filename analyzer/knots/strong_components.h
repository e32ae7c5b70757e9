// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gordian {

// The component of each vertex, numbered from 0 in any order.
std::vector<uint32_t> ComponentNumbers(uint32_t vertex_count,
                                       const std::vector<std::pair<uint32_t, uint32_t>>& edges);

}  // namespace gordian
