// SPDX-License-Identifier: Apache-2.0
// Lists of functions' names.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace gordian {

inline bool Holds(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace gordian
