// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/session_reader.h"

namespace gordian {

void EventStream::AddSegment(const std::string& path, std::span<const FoundBlock> blocks) {
  for (const FoundBlock& block : blocks) {
    const BlockHeader& header = block.header;
    locations_.push_back({.segment = static_cast<uint32_t>(paths_.size()),
                          .offset = block.offset,
                          .header = header});
    blocks_.push_back({.sequence = header.sequence,
                       .first_time_ns = header.first_time_ns,
                       .last_time_ns = header.last_time_ns,
                       .events = header.events,
                       .lost = header.lost,
                       .bytes = header.block_bytes()});
  }
  paths_.push_back(path);
}

void EventStream::AddHeld(uint64_t sequence, EventBlock block) {
  if (block.events.empty()) return;
  blocks_.push_back({.sequence = sequence,
                     .first_time_ns = block.events.front().time_ns,
                     .last_time_ns = block.events.back().time_ns,
                     .events = static_cast<uint32_t>(block.events.size())});
  locations_.push_back({.offset = held_.size(), .is_held = true});
  held_.push_back(std::move(block));
}

absl::Status EventStream::Read(size_t index, EventBlock& out) const {
  if (locations_[index].is_held) {
    out = held_[locations_[index].offset];
    return absl::OkStatus();
  }
  std::unique_ptr<Scratch> scratch = TakeScratch();
  auto status = ReadInto(locations_[index], *scratch, out);
  GiveScratchBack(std::move(scratch));
  if (!status.ok()) out.Clear();
  return status;
}

absl::Status EventStream::ReadInto(const Location& location, Scratch& scratch,
                                   EventBlock& out) const {
  // Opened anew each time: a session may have more segments than a process may have open files.
  const std::string& path = paths_[location.segment];
  const auto file = OpenFile(path);
  if (!file.ok()) return absl::DataLossError(file.status().message());
  scratch.payload.resize(location.header.payload_bytes);
  const auto read =
      ReadAt(file->handle, location.offset + location.header.header_bytes, scratch.payload, path);
  if (!read.ok()) return absl::DataLossError(read.status().message());
  if (*read != scratch.payload.size()) {
    return absl::DataLossError(absl::StrCat(path, " became shorter while it was read"));
  }
  auto status = scratch.decoder.DecodeEvents(location.header, scratch.payload, out);
  if (status.ok()) return status;
  return absl::DataLossError(
      absl::StrCat(path, " at byte ", location.offset, ": ", status.message()));
}

void EventStream::ReleaseMemory() const {
  const std::lock_guard lock(mutex_);
  free_scratches_.clear();
}

std::unique_ptr<EventStream::Scratch> EventStream::TakeScratch() const {
  const std::lock_guard lock(mutex_);
  if (free_scratches_.empty()) return std::make_unique<Scratch>();
  auto scratch = std::move(free_scratches_.back());
  free_scratches_.pop_back();
  return scratch;
}

void EventStream::GiveScratchBack(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard lock(mutex_);
  free_scratches_.push_back(std::move(scratch));
}

}  // namespace gordian
