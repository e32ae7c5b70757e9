// SPDX-License-Identifier: Apache-2.0
// Random blocks for property tests, and comparison of blocks. Include after <gtest/gtest.h>.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "trace/event_block.h"

namespace gordian {

// Any events at all, of every kind, with extreme values among them; in no order of time.
rc::Gen<EventBlock> AnyEventBlock();

// A block as one line per event, names and records spelled out instead of their indices: two blocks
// say the same if these are equal, though their tables may be laid out differently.
std::vector<std::string> Describe(const EventBlock& block);

}  // namespace gordian
