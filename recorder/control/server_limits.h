// SPDX-License-Identifier: Apache-2.0
// The limits that both servers, the local one and the network's, set for clients.
#pragma once

#include <chrono>

namespace gordian {

inline constexpr int kMaxRequestBytes = 64 << 10;  // requests are names and numbers
inline constexpr int kHandshakeTimeoutMs = 10'000;
// Open calls are given this when a server ends.
inline constexpr std::chrono::seconds kShutdownGrace(5);
// After a connection could not be accepted.
inline constexpr int kRetryAfterMs = 100;

}  // namespace gordian
