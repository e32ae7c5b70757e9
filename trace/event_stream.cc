#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/session_reader.h"

namespace gordian {

void EventStream::AddSegment(const std::string& path, std::span<const FoundBlock> blocks) {
  for (const FoundBlock& block : blocks) {
    const BlockHeader& header = block.header;
    locations_.push_back({static_cast<uint32_t>(paths_.size()), block.offset, header});
    blocks_.push_back({.sequence = header.sequence,
                       .first_time_ns = header.first_time_ns,
                       .last_time_ns = header.last_time_ns,
                       .events = header.events,
                       .lost = header.lost,
                       .bytes = header.block_bytes()});
  }
  paths_.push_back(path);
}

absl::Status EventStream::Read(size_t index, EventBlock& out) const {
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
