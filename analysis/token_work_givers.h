// SPDX-License-Identifier: Apache-2.0
// Threads that hand work to the threads of a pool: an acceptor, a dispatcher. Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// Who is given work, and who gives it (vertices).
using GivenWork = std::set<std::pair<uint32_t, uint32_t>>;

// A thread that waits for a helper's answer, and one that waits for work, look alike: both sleep
// until another thread wakes them. But threads of a pool wait at one thing (a pipe, a condition
// variable), and each wake lets one of them go on: whichever it is. Whoever waits for an answer
// waits at a thing of its own, or is woken together with the others and looks whose it is.
GivenWork WorkGivenToPools(const Timeline& timeline, const StackSums& stacks,
                           std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
