// SPDX-License-Identifier: Apache-2.0
// Findings of a slow server, where the target asks it by its own clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/sent_by_clock.h"
#include "schema/report.pb.h"

namespace gordian {

// A finding that the target waits for a server is told as one about the target's clock, if it sends
// most of its requests there when a timer of its own ends.
void TellSentByClock(std::span<const SentByClock> sent,
                     const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

}  // namespace gordian
