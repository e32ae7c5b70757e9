// SPDX-License-Identifier: Apache-2.0
// One event as one JSON object on one line. docs/dump.md lists the fields; they are only ever
// added.
#pragma once

#include <string>

#include "cli/session_names.h"
#include "output/json_writer.h"
#include "trace/event_block.h"

namespace gordian {

// Appends the line and its end to `out`. `json` is reused from event to event.
void AppendEventJson(const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                     uint64_t start_time_ns, JsonWriter& json, std::string& out);

}  // namespace gordian
