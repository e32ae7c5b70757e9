// SPDX-License-Identifier: Apache-2.0
// The exact segments of threads in a range, as columns: what a timeline draws when it is zoomed in.
//
// Usage:
//   const ViewSegments segments = SegmentsOf(timeline, {.threads = {3, 7}, .from_ns = …, .to_ns =
//   …}); response.body = SegmentBytes(segments);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// 25 bytes each: 12.5 MB.
inline constexpr uint64_t kMostViewSegments = 500'000;
inline constexpr size_t kMostSegmentThreads = 20'000;

struct SegmentsRequest {
  std::vector<EntityId> threads;
  uint64_t from_ns = 0;  // since the recording's start
  uint64_t to_ns = 0;
  uint64_t limit = kMostViewSegments;  // of all threads together
  std::function<bool()> stop_asked;    // may be empty
};

// A segment, whole, on the recording's clock.
struct ViewSegment {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  ThreadSegment segment;
};

struct ViewSegments {
  std::vector<EntityId> threads;
  // By thread, in order of time: those of thread i are [first[i], first[i + 1]).
  std::vector<uint32_t> first;
  std::vector<ViewSegment> segments;
  uint64_t start_ns = 0;  // of the recording
  // Some segments of the last threads are missing: there are more than the limit.
  bool is_cut = false;
};

// InvalidArgument for an id that is no thread, or no time; Cancelled if it was asked to stop.
absl::StatusOr<ViewSegments> SegmentsOf(const Timeline& timeline, const SegmentsRequest& request);

// Little endian; times in nanoseconds since the recording's start:
//   char[4] "GSG1"; u32 threads, segments, cut (0, 1)
//   f64 start_ns[segments], end_ns[segments]
//   u32 thread[threads], first[threads + 1], waker[segments]    0xffffffff: none
//   u16 state[segments]       wait: the kernel's state bits; run, spin: the CPU
//   u8  kind[segments]        SegmentKind
//   u8  cause[segments]       WaitCause, of waits and spins
//   u8  open[segments]        bit 0: its start is open, bit 1: its end
std::string SegmentBytes(const ViewSegments& segments);

}  // namespace gordian
