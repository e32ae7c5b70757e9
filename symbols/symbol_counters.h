// SPDX-License-Identifier: Apache-2.0
// Adds to counters by names that trace/counters.cc defines.
#pragma once

#include <cstdint>
#include <string_view>

#include "symbols/symbols.h"

namespace gordian {

// Nothing for 0. Aborts if the name is not defined: a mistake of ours, found by the first test that
// runs the line.
void Count(SymbolCounters& counters, std::string_view name, uint64_t value = 1);

}  // namespace gordian
