// SPDX-License-Identifier: Apache-2.0
// Writes the segment files of one stream.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "trace/block_encoder.h"
#include "trace/file_io.h"
#include "trace/segment_name.h"

namespace gordian {

struct Segment {
  uint32_t number = 0;
  uint64_t bytes = 0;
  uint64_t events = 0;
  uint64_t first_time_ns = UINT64_MAX;
  uint64_t last_time_ns = 0;
  uint64_t opened_at_bytes = 0;  // of the whole session: how long ago, in bytes written since
};

class StreamWriter {
 public:
  StreamWriter(std::string directory, StreamId stream)
      : directory_(std::move(directory)), stream_(stream) {}

  // Takes over the counts of `other`, a writer of the same stream elsewhere.
  void ContinueAfter(const StreamWriter& other);

  // Appends to the open segment, or begins one. On failure the file is cut back to its old size.
  absl::Status Append(const EncodedBlock& block, uint64_t session_bytes);
  // The next append begins a new segment.
  void CloseSegment();
  // Deletes the oldest segment, open or not; there must be one. Returns its contents.
  Segment DropOldest();

  bool has_open_segment() const { return file_.is_open(); }
  const std::deque<Segment>& segments() const { return segments_; }  // oldest first
  std::string SegmentPath(const Segment& segment) const;
  StreamId stream() const { return stream_; }
  uint64_t next_sequence() const { return next_sequence_; }
  uint32_t next_number() const { return next_number_; }

 private:
  absl::Status OpenSegment(uint64_t session_bytes);

  std::string directory_;
  StreamId stream_;
  std::deque<Segment> segments_;
  FileHandle file_;  // of segments_.back(), if open
  uint64_t next_sequence_ = 0;
  uint32_t next_number_ = 0;
};

}  // namespace gordian
