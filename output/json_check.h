// SPDX-License-Identifier: Apache-2.0
// Whether somebody's bytes are JSON, before they are passed on as such.
#pragma once

#include <string_view>

namespace gordian {

// One document of valid UTF-8, and nothing behind it. Its arrays and objects lie at most 64 deep,
// so no reader's stack overflows.
bool IsJson(std::string_view text);

}  // namespace gordian
