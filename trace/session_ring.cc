// SPDX-License-Identifier: Apache-2.0
// How a session's segments give way to newer ones: the flight recorder's part of SessionWriter.
//
// The oldest segment of all streams, by the time of its last event, is deleted until there is room.
// Open segments take part: an idle CPU's segment may be the oldest, and then the next append begins
// a new one. So the limit holds always, and the loop ends because each round deletes a segment.
//
// tasks.trace is kept for longer: every segment of it begins with the identity of all threads alive
// then. The newest one that began before the window of the retained events stays, so that their
// threads have names.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

constexpr uint64_t kMinSegmentBytes = 64u << 10;
constexpr uint64_t kSegmentsPerStream = 8;
// A segment is closed at the latest when the session has written this part of the ring since it was
// opened. Otherwise the segment of a quiet CPU would span many turns of the ring, and all
// identities of that time would have to stay.
constexpr uint64_t kSpanDivisor = 4;
// A new segment of tasks.trace begins after this part of the ring, but identities take at most this
// part of the written bytes.
constexpr uint64_t kTasksDivisor = 8;
// Likewise, where the ring has a length of time. Whatever the times in blocks are, small segments
// do not become many.
constexpr uint64_t kPartsOfTime = 8;
constexpr size_t kMostSegmentsByTime = 4 * kPartsOfTime;
// session.pb grows (counters, pairs of clocks) while it is replaced.
constexpr uint64_t kSessionFileGrowthBytes = 4096;

}  // namespace

uint64_t SessionWriter::SegmentBytes() const {
  const uint64_t streams = cpus_.size() + 2;  // tasks and resources
  return std::max(kMinSegmentBytes, options_.ring_bytes / (streams * kSegmentsPerStream));
}

bool SessionWriter::SegmentIsFull(const StreamWriter& stream) const {
  if (!stream.has_open_segment()) return false;
  if (&stream == &tasks_) return false;  // BeginTasksSegmentIfDue decides
  const Segment& open = stream.segments().back();
  const bool is_long = options_.ring_ns != 0 && newest_time_ns_ > open.first_time_ns &&
                       newest_time_ns_ - open.first_time_ns >= options_.ring_ns / kPartsOfTime;
  if (is_long && stream.segments().size() < kMostSegmentsByTime) return true;
  return open.bytes >= SegmentBytes() ||
         appended_bytes_ - open.opened_at_bytes >= options_.ring_bytes / kSpanDivisor;
}

// The old session.pb and the new one beside it while it is replaced; symbols.pb.zst likewise.
uint64_t SessionWriter::SessionFileReserve() const {
  return 2 * session_file_bytes_ + kSessionFileGrowthBytes + 2 * symbols_file_bytes_;
}

absl::Status SessionWriter::BeginTasksSegmentIfDue() {
  if (tasks_begun_) {
    if (options_.ring_bytes == 0) return absl::OkStatus();
    const uint64_t due_bytes =
        std::max(options_.ring_bytes / kTasksDivisor, kTasksDivisor * identity_bytes_);
    if (appended_bytes_ - tasks_begun_at_bytes_ < due_bytes) return absl::OkStatus();
  }
  tasks_.CloseSegment();
  const uint64_t bytes_before = appended_bytes_;
  if (auto status = AppendIdentity(); !status.ok()) return status;
  identity_bytes_ = appended_bytes_ - bytes_before;
  tasks_begun_ = true;
  tasks_begun_at_bytes_ = appended_bytes_;
  return absl::OkStatus();
}

absl::Status SessionWriter::MakeRoom(uint64_t bytes) {
  while (trace_bytes_ + bytes + SessionFileReserve() > options_.ring_bytes) {
    if (DropUnneededTasks() || DropOldestData()) continue;
    if (tasks_.segments().size() <= 1) {
      return absl::ResourceExhaustedError(absl::StrCat(
          directory_, ": a block of ", bytes,
          " bytes does not fit beside the identity of the machine's threads in a ring of ",
          options_.ring_bytes, " bytes: give a larger one"));
    }
    Drop(tasks_);
  }
  return absl::OkStatus();
}

// The oldest segment of tasks.trace is not needed once the next one began before the first retained
// event.
bool SessionWriter::DropUnneededTasks() {
  if (tasks_.segments().size() < 2) return false;
  uint64_t window_begin_ns = UINT64_MAX;
  for (const auto& [cpu, stream] : cpus_) {
    if (stream.segments().empty()) continue;
    window_begin_ns = std::min(window_begin_ns, stream.segments().front().first_time_ns);
  }
  if (window_begin_ns == UINT64_MAX || tasks_.segments()[1].first_time_ns > window_begin_ns) {
    return false;
  }
  Drop(tasks_);
  return true;
}

StreamWriter* SessionWriter::OldestData() {
  StreamWriter* oldest = nullptr;
  const auto consider = [&oldest](StreamWriter& stream) {
    if (stream.segments().empty()) return;
    if (oldest == nullptr ||
        stream.segments().front().last_time_ns < oldest->segments().front().last_time_ns) {
      oldest = &stream;
    }
  };
  for (auto& [cpu, stream] : cpus_) consider(stream);
  consider(resources_);
  return oldest;
}

bool SessionWriter::DropOldestData() {
  StreamWriter* oldest = OldestData();
  if (oldest != nullptr) Drop(*oldest);
  return oldest != nullptr;
}

// Ends, as each round deletes a segment.
void SessionWriter::DropOutdated() {
  if (options_.ring_ns == 0 || newest_time_ns_ < options_.ring_ns) return;
  const uint64_t oldest_ns = newest_time_ns_ - options_.ring_ns;
  for (StreamWriter* oldest = OldestData();
       oldest != nullptr && oldest->segments().front().last_time_ns < oldest_ns;
       oldest = OldestData()) {
    Drop(*oldest);
  }
  while (DropUnneededTasks()) {
  }
}

void SessionWriter::Drop(StreamWriter& stream) {
  const Segment dropped = stream.DropOldest();
  trace_bytes_ -= dropped.bytes;
  if (&stream != &resources_) events_given_way_ += dropped.events;
  if (stream.stream().kind == BlockKind::kEvents) events_dropped_by_ring_ += dropped.events;
}

}  // namespace gordian
