// SPDX-License-Identifier: Apache-2.0
// Waits on behalf of a client, as long as it is there.
#pragma once

#include <grpcpp/server_context.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace gordian {

// False as soon as the client has gone, give or take a tenth of a second.
inline bool WaitFor(std::chrono::nanoseconds wait, const grpc::ServerContext& context) {
  constexpr std::chrono::nanoseconds kLongestSleep = std::chrono::milliseconds(100);
  const auto until = std::chrono::steady_clock::now() + wait;
  while (!context.IsCancelled()) {
    const std::chrono::nanoseconds left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) return true;
    std::this_thread::sleep_for(std::min(left, kLongestSleep));
  }
  return false;
}

}  // namespace gordian
