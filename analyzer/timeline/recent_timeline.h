// SPDX-License-Identifier: Apache-2.0
// The latest part of a recording that is being followed, as a timeline.
//
//   RecentTimeline recent(*TimelineStream::Follow(directory, {}), 10 * kNsPerSecond);
//   while (*recent.Advance()) {}       // all that has been recorded meanwhile
//   Timeline timeline = recent.Make();
//
// It is the timeline of a recording that ended where the latest window does. Of what lies further
// back only what reaches into the kept part is there: threads are unknown before, and those that
// had ended are left out, but for creators of others. Times of entities are those of the whole
// recording.
//
// Memory: the segments, requests, packets and samples of the kept windows, and what the stream
// takes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/timeline_stream.h"

namespace gordian {

class RecentTimeline {
 public:
  // Keeps whole windows of the stream, at least the last keep_ns.
  RecentTimeline(std::unique_ptr<TimelineStream> stream, uint64_t keep_ns);

  // Takes the next window; false if there is none (yet). The statuses of TimelineStream::Next.
  absl::StatusOr<bool> Advance();

  const TimelineStream& stream() const { return *stream_; }
  // Nobody writes the recording any more (TimelineStream::EndHere).
  void EndHere() { stream_->EndHere(); }
  // From where on all that happened is kept, and up to when it is known.
  uint64_t from_ns() const { return windows_.empty() ? until_ns_ : windows_.front().from_ns; }
  uint64_t until_ns() const { return until_ns_; }

  // From the next window on.
  void SetKept(uint64_t keep_ns) { keep_ns_ = keep_ns; }

  // This process looks on, as the recorder does: its threads count as the recorder's. 0: none does.
  void SetObserver(int32_t pid) { observer_pid_ = pid; }

  // After the first window.
  Timeline Make() const;

 private:
  struct Slice {
    EntityId thread = kNobody;
    uint32_t first = 0;  // of its segments, in those of the window
    uint32_t count = 0;
  };
  struct KeptWindow {
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    std::vector<Slice> slices;
    std::vector<ThreadSegment> segments;
    std::vector<BlockRecord> block_records;
    std::vector<PacketRecord> packets;
    std::vector<PacketWake> packet_wakes;
    std::vector<LocalMessage> local_messages;
    std::vector<StackSample> stack_samples;
  };
  class Maker;

  std::unique_ptr<TimelineStream> stream_;
  uint64_t keep_ns_ = 0;
  int32_t observer_pid_ = 0;
  uint64_t until_ns_ = 0;
  std::deque<KeptWindow> windows_;
};

}  // namespace gordian
