// SPDX-License-Identifier: Apache-2.0
// One event as one line for people:
//      1.002003004  cpu 0  wake            B/20 by A/10
#pragma once

#include <cstdint>
#include <string>

#include "cli/session_names.h"
#include "trace/event_block.h"

namespace gordian {

// Appends the line and its end to `out`.
void AppendEventText(const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                     uint64_t start_time_ns, std::string& out);

}  // namespace gordian
