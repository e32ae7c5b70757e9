// SPDX-License-Identifier: Apache-2.0
#include "trace/stream_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace gordian {

std::string StreamWriter::SegmentPath(const Segment& segment) const {
  return absl::StrCat(directory_, "/", SegmentFileName({stream_, segment.number}));
}

void StreamWriter::ContinueAfter(const StreamWriter& other) {
  next_sequence_ = other.next_sequence_;
  next_number_ = other.next_number_;
}

absl::Status StreamWriter::OpenSegment(uint64_t session_bytes) {
  Segment segment{.number = next_number_, .opened_at_bytes = session_bytes};
  auto file = CreateFile(SegmentPath(segment));
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  segments_.push_back(segment);
  ++next_number_;
  return absl::OkStatus();
}

absl::Status StreamWriter::Append(const EncodedBlock& block, uint64_t session_bytes) {
  if (!file_.is_open()) {
    if (auto status = OpenSegment(session_bytes); !status.ok()) return status;
  }
  Segment& segment = segments_.back();
  if (auto status = WriteAll(file_, block.bytes, SegmentPath(segment)); !status.ok()) {
    // Takes back the written part of the block. If even that fails, readers skip the torn block.
    // The next block must not follow it in the same file, whose size is no longer known.
    if (ftruncate(file_.get(), static_cast<off_t>(segment.bytes)) != 0) CloseSegment();
    return status;
  }
  segment.bytes += block.bytes.size();
  segment.events += block.header.events;
  segment.first_time_ns = std::min(segment.first_time_ns, block.header.first_time_ns);
  segment.last_time_ns = std::max(segment.last_time_ns, block.header.last_time_ns);
  ++next_sequence_;
  return absl::OkStatus();
}

void StreamWriter::CloseSegment() { file_.Close(); }

Segment StreamWriter::DropOldest() {
  const Segment dropped = segments_.front();
  if (segments_.size() == 1) CloseSegment();
  // A file that is already gone is as good; any other failure leaves a file that readers can read.
  unlink(SegmentPath(dropped).c_str());
  segments_.pop_front();
  return dropped;
}

}  // namespace gordian
