// SPDX-License-Identifier: Apache-2.0
#include "views/segments.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "views/little_endian.h"

namespace gordian {

absl::StatusOr<ViewSegments> SegmentsOf(const Timeline& timeline, const SegmentsRequest& request) {
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  if (request.from_ns >= request.to_ns || request.to_ns > length_ns)
    return absl::InvalidArgumentError("the range must hold time within the recording");
  if (request.threads.size() > kMostSegmentThreads)
    return absl::InvalidArgumentError("too many threads: ask for fewer");
  const uint64_t limit = std::min(request.limit, kMostViewSegments);
  ViewSegments result = {.start_ns = timeline.start_ns()};
  for (const EntityId thread : request.threads) {
    if (thread >= timeline.thread_count())
      return absl::InvalidArgumentError(absl::StrCat("there is no thread ", thread));
    if (request.stop_asked && request.stop_asked())
      return absl::CancelledError("the question was taken back");
    result.threads.push_back(thread);
    result.first.push_back(static_cast<uint32_t>(result.segments.size()));
    const uint64_t to_ns = timeline.start_ns() + request.to_ns;
    for (SegmentCursor at = timeline.SegmentsFrom(thread, timeline.start_ns() + request.from_ns);
         !at.done() && at.start_ns() < to_ns; at.Next()) {
      if (result.segments.size() >= limit) {
        result.is_cut = true;
        break;
      }
      if (at.start_ns() < at.end_ns())
        result.segments.push_back({at.start_ns(), at.end_ns(), at.segment()});
    }
  }
  result.first.push_back(static_cast<uint32_t>(result.segments.size()));
  return result;
}

std::string SegmentBytes(const ViewSegments& segments) {
  std::string bytes = "GSG1";
  bytes.reserve(16 + 8 * segments.threads.size() + 25 * segments.segments.size() + 8);
  AppendLittleEndian(static_cast<uint32_t>(segments.threads.size()), bytes);
  AppendLittleEndian(static_cast<uint32_t>(segments.segments.size()), bytes);
  AppendLittleEndian(uint32_t{segments.is_cut}, bytes);
  const auto since_start = [&](uint64_t time_ns) {
    return static_cast<double>(std::max(time_ns, segments.start_ns) - segments.start_ns);
  };
  for (const ViewSegment& one : segments.segments)
    AppendLittleEndian(since_start(one.start_ns), bytes);
  for (const ViewSegment& one : segments.segments)
    AppendLittleEndian(since_start(one.end_ns), bytes);
  for (const EntityId thread : segments.threads) AppendLittleEndian(thread, bytes);
  for (const uint32_t first : segments.first) AppendLittleEndian(first, bytes);
  for (const ViewSegment& one : segments.segments) AppendLittleEndian(one.segment.waker, bytes);
  for (const ViewSegment& one : segments.segments) AppendLittleEndian(one.segment.state, bytes);
  for (const ViewSegment& one : segments.segments) bytes += static_cast<char>(one.segment.kind);
  for (const ViewSegment& one : segments.segments) bytes += static_cast<char>(one.segment.cause);
  for (const ViewSegment& one : segments.segments)
    bytes += static_cast<char>(one.segment.open_start | one.segment.open_end << 1);
  return bytes;
}

}  // namespace gordian
