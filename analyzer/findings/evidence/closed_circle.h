// SPDX-License-Identifier: Apache-2.0
// A knot that uses little CPU and yet is all of the target's work.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/findings/evidence/evidence.h"

namespace gordian {

// A circle without a device: its members together want less than one CPU, and nobody waits for
// their work: neither clients nor a thread of the target that wakes them and then waits most of the
// time.
bool IsLightCircle(const Evidence& evidence, std::span<const uint32_t> members);

// Whether these vertices, which wait for each other, do nearly all of the target's work, again and
// again, without depending on an outsider. They wait little for outsiders, networks or unrecorded
// causes; their own sleeps and disks are theirs. Then only they set their pace, however little of a
// CPU they use: four threads that make calls under one lock. Threads that wait for work, or
// exchange news, are no closed circle: work comes from outside, and news are rare.
bool IsClosedCircle(const Evidence& evidence, std::span<const uint32_t> members);

}  // namespace gordian
