// SPDX-License-Identifier: Apache-2.0
// The limits that the daemon never exceeds, for any client.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/recording/recording.h"

namespace gordian {

struct SessionLimits {
  uint64_t max_session_bytes = 10ull << 30;
  uint64_t max_total_bytes = 40ull << 30;  // all sessions and snapshots, finished ones too
  uint64_t min_free_bytes = 2ull << 30;  // on the sessions' file system; below it all sessions end
  size_t max_sessions = 8;               // at the same time
  uint64_t max_duration_ns = 30ull * 86'400'000'000'000;
  uint64_t max_kernel_ring_bytes_per_cpu = 64u << 20;
  // The most that all sessions together may take of all CPUs' time, in millionths.
  uint32_t max_cpu_ppm = 20'000;
  uint64_t max_memory_bytes = UINT64_MAX;  // of all sessions together, by estimate
  StackChoice max_stacks = StackChoice::kAll;
  uint32_t max_sample_hz = 10'000;  // of running threads, per CPU
};

// From here on max_cpu_ppm is no limit.
inline constexpr uint32_t kAllCpusPpm = 1'000'000;

}  // namespace gordian
