// A knot that hardly uses the CPUs and yet is all there is.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/findings/evidence/evidence.h"

namespace gordian {

// A circle without a device, whose members together want less than one CPU and for whom no client
// waits.
bool IsLightCircle(const Evidence& evidence, std::span<const uint32_t> members);

// Whether these vertices, which wait for each other, do nearly all of the target's work, again and
// again, without anybody from outside on whom it depends: hardly any wait for outsiders, networks
// or what was not recorded (their own sleeps and disks are theirs). Then only they themselves set
// their pace, however little of a CPU they use: four threads that call somebody under one lock.
// Threads that wait for work, or exchange news, are none: work comes from outside, and news are
// rare.
bool IsClosedCircle(const Evidence& evidence, std::span<const uint32_t> members);

}  // namespace gordian
