// SPDX-License-Identifier: Apache-2.0
// Lines and inlined functions, from DWARF. Only for the child process: libdw has no defence against
// every file.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {

// `frames` innermost first; the last one, the function proper, has no name if DWARF has no name for
// it.
using TakeFrames = std::function<void(size_t index, std::vector<Frame> frames)>;

struct DwarfOutcome {
  uint64_t inlines_cut = 0;  // addresses with more inlined functions than the limit
};

// Calls `take` for each of `addresses` (sorted) of which `dwarf` knows something.
DwarfOutcome NameByDwarf(Dwarf* dwarf, std::span<const uint64_t> addresses,
                         uint32_t max_inline_depth, const TakeFrames& take);

}  // namespace gordian
