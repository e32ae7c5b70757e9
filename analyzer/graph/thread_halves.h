// SPDX-License-Identifier: Apache-2.0
// How a thread spent the even and the odd eighths of a recording: two halves that both have a part
// in each of its phases.
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/model/model.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// Of the range's eighths. The longest walk over segments, of a thread that lives all along, reads
// each of its segments once.
std::array<ThreadTimes, 2> TimesInHalvesOf(const Waits& waits, EntityId thread, uint64_t from_ns,
                                           uint64_t to_ns);

}  // namespace gordian
