// SPDX-License-Identifier: Apache-2.0
// Asks another node's daemon for its clock, over mutual TLS.
#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>

#include "recorder/certificates/certificate.h"
#include "recorder/clocks/clock_exchange.h"
#include "recorder/clocks/clock_follower.h"
#include "recorder/control/network_address.h"
#include "recorder/sources/clock.h"

namespace gordian {

// A channel whose both ends show certificates; nothing is connected yet. The other's must be for
// the host of `address`.
std::shared_ptr<grpc::Channel> MutualTlsChannel(const NetworkAddress& address,
                                                const TlsIdentity& identity);

// One exchange within `timeout`, and a whole measurement of several.
absl::StatusOr<RemoteClock> AskClock(const std::shared_ptr<grpc::Channel>& channel,
                                     std::chrono::milliseconds timeout);
absl::StatusOr<MeasuredClock> MeasureClockOver(
    const std::shared_ptr<grpc::Channel>& channel, int exchanges, std::chrono::milliseconds timeout,
    const std::function<uint64_t()>& now_ns = MonotonicNowNs);

}  // namespace gordian
