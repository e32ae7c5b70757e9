// SPDX-License-Identifier: Apache-2.0
// The contents of a session or a block, as lines that a test can compare: every field of every
// event.
#pragma once

#include <string>
#include <vector>

#include "trace/event_block.h"

namespace gordian::testing {

// "5000000 cpu1 wake wakee=20 waker=10 thread cause": fields that are zero are left out, names and
// identities are looked up in `block`.
std::string EventText(const TraceEvent& event, const EventBlock& block);
std::vector<std::string> EventTexts(const EventBlock& block);

// All events of the session in time order. One line that begins with "error" if it cannot be read,
// or was damaged.
std::vector<std::string> SessionTexts(const std::string& directory);

}  // namespace gordian::testing
