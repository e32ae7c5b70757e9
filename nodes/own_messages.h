// SPDX-License-Identifier: Apache-2.0
// Packets within one recording: client and server are threads of one machine, perhaps in network
// namespaces of their own.
//
// Most such packets need no search: the recorder saw the packet go from its sender to the wake. Of
// the rest (a kernel thread delivered it, or an acknowledgement set it free) the wake names only
// the interface. Where the packet is found where it was sent, its receiver's wait is cut in two, as
// between nodes (nodes/joined_nodes.h): until it was sent, for the thread that sent it;
// from then on, for the interface.
//
// The same packets tell who asks whom (Timeline::questions).
#pragma once

#include <cstdint>

#include "analyzer/timeline/timeline.h"

namespace gordian {

// `timeline` is loaded with keep_packet_wakes, which it keeps no longer. Returns how many waits
// have a sender now. The result does not depend on the number of threads.
uint64_t MatchOwnMessages(Timeline& timeline, int threads);

}  // namespace gordian
