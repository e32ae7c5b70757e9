// SPDX-License-Identifier: Apache-2.0
// How a thread spent the even and the odd eighths of a recording: two halves that both have a part
// in each of its phases.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// Of the range's eighths; in order of `threads`. Each segment is read once, of all threads together
// in order of time: they may lie in files.
std::vector<std::array<ThreadTimes, 2>> TimesInHalvesOf(const Waits& waits,
                                                        std::span<const EntityId> threads,
                                                        uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
