// SPDX-License-Identifier: Apache-2.0
// The answers of a recording's target, which count as its throughput.
#pragma once

#include <cstdint>
#include <span>

#include "requests/requests.h"
#include "whatif/ask/ask.h"

namespace gordian {

// Those of the target's port with most of its requests' time. Nothing if there are none, or if
// requests were looked for in parts of the time only: a rate needs all of it.
// Each client's process is a stream.
TargetAnswers AnswersOfTarget(const Timeline& timeline, const FoundRequests& found,
                              std::span<const uint8_t> is_target);

}  // namespace gordian
