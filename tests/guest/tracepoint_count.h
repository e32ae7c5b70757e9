// SPDX-License-Identifier: Apache-2.0
// The kernel's own count of a tracepoint, which no program of ours takes part in: the truth that a
// recording is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian::testing {

// Counts on all CPUs from its making on. Needs root; mounts tracefs if nobody did.
class TracepointCount {
 public:
  // `name`: "sched/sched_waking". `filter`: as the tracepoint's `filter` file takes it; empty: all.
  static absl::StatusOr<TracepointCount> Open(const std::string& name, const std::string& filter);
  TracepointCount(TracepointCount&& other) noexcept : events_(std::move(other.events_)) {
    other.events_.clear();
  }
  TracepointCount& operator=(TracepointCount&&) = delete;
  ~TracepointCount();

  uint64_t Read() const;

 private:
  TracepointCount() = default;
  std::vector<int> events_;  // one for each CPU
};

}  // namespace gordian::testing
