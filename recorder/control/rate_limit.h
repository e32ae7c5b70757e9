// SPDX-License-Identifier: Apache-2.0
// Keeps a flow of bytes below a rate, shared by all that take from it. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace gordian {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimit(uint64_t bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  // How long to wait before `bytes` pass; 0 bytes per second is no limit. Unused rate does not add
  // up to a burst.
  Clock::duration Take(uint64_t bytes, Clock::time_point now) {
    if (bytes_per_second_ == 0) return Clock::duration::zero();
    const std::lock_guard lock(mutex_);
    free_at_ = std::max(free_at_, now);
    const auto wait = free_at_ - now;
    free_at_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
        static_cast<double>(bytes) / static_cast<double>(bytes_per_second_)));
    return wait;
  }

 private:
  const uint64_t bytes_per_second_;
  std::mutex mutex_;
  Clock::time_point free_at_;
};

}  // namespace gordian
