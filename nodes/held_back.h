// SPDX-License-Identifier: Apache-2.0
// Waits for data that the sender's kernel held back.
//
// While a small segment is not acknowledged, a kernel keeps later small ones (Nagle's algorithm).
// The receiver's kernel sends an acknowledgement alone only after a while (delayed acknowledgement:
// 40 ms on Linux), as it hopes to send it along with an answer. So a program that writes a message
// in pieces pays for both: the receiver waits for the rest of the message, and no thread, CPU or
// disk works.
//
// At the receiver it looks like this. A packet comes in. Then its connection is silent. Then the
// kernel, and no thread, sends an empty packet. The next packet comes in soon after, compared with
// the silence, and wakes a thread. If a recording also holds that packet's sending, the kernel
// did that, and no thread; else the peer may as well have sent it just then, and findings say so.
//
// Such a wait ends at an entity of its own, "held-back data of PROGRAM" (EntityKind::kHeldBack).
// One linear pass over packets and their wakes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

// All timelines are loaded with keep_packet_wakes, and no wait for a packet has a sender yet.
// `others` are those of other nodes that may hold the sending. Returns how many waits of `timeline`
// were for held-back data.
uint64_t MarkHeldBack(Timeline& timeline, std::span<const Timeline* const> others = {});

// The same, if it is not known yet whether others are needed. `others` is called if they are, with
// the flows of `timeline` that matter, and sees to it that they outlive the call.
using TimelinesWithFlows =
    std::function<std::vector<const Timeline*>(std::span<const uint32_t> flow_ids)>;
uint64_t MarkHeldBack(Timeline& timeline, const TimelinesWithFlows& others);

// A wait that another node's recording tells more about: it was for held-back data, except if a
// thread there sent that packet just then.
struct MaybeHeldWait {
  EntityId thread = kNobody;
  uint64_t woken_ns = 0;
};

// Of one node alone: marks those whose sending its own recording holds, and returns the others. By
// thread, then by time.
std::vector<MaybeHeldWait> MarkOwnHeldBack(Timeline& timeline);

}  // namespace gordian
