// SPDX-License-Identifier: Apache-2.0
// Paths as the kernel side writes them: names, innermost first, each with a NUL behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gordian {

// "/srv/data"; "…/data" if more stood before it; a name alone. `state` is a gd_path_state.
std::string PathText(std::string_view names, uint8_t state);

}  // namespace gordian
