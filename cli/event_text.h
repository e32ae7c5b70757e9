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

// The words a reader of either form meets for values of the trace's enumerations; "unknown" beyond
// them.
const char* TaskChangeName(TaskChange change);
const char* ProbeKindName(ProbeKind kind);
const char* BlockOperationName(BlockOperation operation);
const char* WakeContextName(WakeContext context);
// preempted, sleeping, disk sleep, …: what the thread that left its CPU did.
std::string SwitchStateName(const SwitchEvent& event);
// tcp 10.0.0.1:80, [::1]:80
std::string FlowAddress(FlowFamily family, const std::array<uint8_t, 16>& address, uint16_t port);
std::string ProtocolName(uint8_t protocol);

}  // namespace gordian
