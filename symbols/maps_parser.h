// SPDX-License-Identifier: Apache-2.0
// The lines of /proc/PID/maps.
#pragma once

#include <string_view>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {

struct ParsedMaps {
  std::vector<Mapping> mappings;  // executable ones, by address, none over another
  uint64_t malformed_lines = 0;   // not understood, or contradicting earlier lines
  uint64_t left_out = 0;          // executable ones beyond the limit
};

ParsedMaps ParseMaps(std::string_view text, size_t max_mappings);

}  // namespace gordian
