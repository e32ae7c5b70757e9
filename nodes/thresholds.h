// SPDX-License-Identifier: Apache-2.0
// Which packet woke which thread, and how far clocks may be off (base/threshold.h says how to read
// and move these).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds. A datagram that was sent longer ago was lost: later ones would be taken for it.
GORDIAN_THRESHOLD(uint64_t, kLongestFlightNs, 1'000'000'000);

// Nanoseconds between two packets on one CPU. No delivery fits in between: a driver handed them up
// together.
GORDIAN_THRESHOLD(uint64_t, kLongestBatchGapNs, 1'000);

// Nanoseconds between a packet and its acknowledgement that a timer sent. Linux waits for 40 ms,
// and its timers may come a tick of 10 ms early. With less, a kernel that is merely late would
// count.
GORDIAN_THRESHOLD(uint64_t, kShortestAckDelayNs, 30'000'000);

// Nanoseconds. No kernel may wait for half a second (RFC 1122): what comes later is lost and sent
// again.
GORDIAN_THRESHOLD(uint64_t, kLongestAckDelayNs, 500'000'000);

// Share of that delay within which the packet comes that an acknowledgement set free. A packet that
// comes later may have been sent for any other reason.
GORDIAN_THRESHOLD(double, kSoonAfterAck, 0.125);

// Packets of a flow that agree on how long its headers are. Among fewer, a lost record may mislead;
// then headers are taken to be as long as usual.
GORDIAN_THRESHOLD(uint32_t, kFewestHeaderVotes, 4);

// Nanoseconds. The shortest message of each such window tightens the clocks. Within a window clocks
// drift apart by less than the interrupts that delay packets take.
GORDIAN_THRESHOLD(uint64_t, kCausalityWindowNs, 1'000'000);

// Nanoseconds that CLOCK_REALTIME may be off where nothing was measured. Messages tighten it.
GORDIAN_THRESHOLD(uint64_t, kUnmeasuredBoundNs, 10'000'000'000);

// Billionths by which two clocks drift apart at most where the recorder did not tell: quartz is
// within a hundred millionths, and NTP slews by more at times.
GORDIAN_THRESHOLD(uint64_t, kUsualDriftPpb, 250'000);

}  // namespace gordian
