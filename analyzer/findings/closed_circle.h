// A knot that hardly uses the CPUs and yet is all there is.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/findings/measures.h"
#include "analyzer/findings/target.h"

namespace gordian {

// Whether these vertices, which wait for each other, do nearly all of the target's work, again and
// again, without anybody from outside on whom it depends: hardly any wait for outsiders, networks
// or what was not recorded (their own sleeps and disks are theirs). Then nobody but themselves sets
// their pace, however little of a CPU they use: four threads that call somebody under one lock.
// Threads that wait for work, or exchange news, are none: work comes from outside, and news are
// rare.
bool IsClosedCircle(const Measures& measures, const Target& target,
                    std::span<const uint32_t> members);

}  // namespace gordian
