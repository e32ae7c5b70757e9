// The limits that the daemon never exceeds, for any client.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gordian {

struct SessionLimits {
  uint64_t max_session_bytes = 10ull << 30;
  uint64_t max_total_bytes = 40ull << 30;  // all sessions and snapshots, finished ones too
  uint64_t min_free_bytes = 2ull << 30;  // on the sessions' file system; below it all sessions end
  size_t max_sessions = 8;               // at the same time
  uint64_t max_duration_ns = 30ull * 86'400'000'000'000;
  uint64_t max_kernel_ring_bytes_per_cpu = 64u << 20;
};

}  // namespace gordian
