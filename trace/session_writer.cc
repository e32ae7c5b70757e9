// SPDX-License-Identifier: Apache-2.0
#include "trace/session_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

// In a small ring a block must be small against a segment. An event seldom takes more bytes than
// this in a file.
constexpr uint64_t kGenerousEventBytes = 8;
constexpr uint32_t kMinBlockEvents = 1024;

uint32_t BlockEventLimit(uint64_t ring_bytes, uint64_t segment_bytes) {
  if (ring_bytes == 0) return kMaxBlockEvents;
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(segment_bytes / kGenerousEventBytes, kMinBlockEvents, kMaxBlockEvents));
}

}  // namespace

SessionWriter::SessionWriter(std::string directory, SessionWriterOptions options)
    : directory_(std::move(directory)),
      options_(options),
      tasks_(directory_, StreamId{BlockKind::kTasks, kNoCpu}),
      resources_(directory_, StreamId{BlockKind::kResources, kNoCpu}) {}

absl::StatusOr<std::unique_ptr<SessionWriter>> SessionWriter::Create(const std::string& directory,
                                                                     SessionWriterOptions options) {
  if (options.ring_bytes != 0 && options.ring_bytes < kMinRingBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a ring of ", options.ring_bytes, " bytes is too small: give at least ", kMinRingBytes));
  }
  if (options.ring_ns != 0 && options.ring_bytes == 0)
    return absl::InvalidArgumentError("a ring that is limited in time needs a limit in bytes, too");
  if (auto status = MakeEmptyDirectory(directory); !status.ok()) return status;
  return std::unique_ptr<SessionWriter>(new SessionWriter(directory, options));
}

void SessionWriter::set_identity_snapshot(IdentitySnapshot snapshot) {
  identity_snapshot_ = std::move(snapshot);
}

StreamWriter& SessionWriter::CpuStream(uint16_t cpu) {
  return cpus_.try_emplace(cpu, directory_, StreamId{BlockKind::kEvents, cpu}).first->second;
}

absl::Status SessionWriter::AppendEvents(EventBlock& block) {
  if (block.empty()) return absl::OkStatus();
  if (auto status = BeginTasksSegmentIfDue(); !status.ok()) return status;
  return AppendToStream(block, CpuStream(block.cpu), BlockKind::kEvents);
}

absl::Status SessionWriter::AppendTasks(EventBlock& block) {
  if (block.empty()) return absl::OkStatus();
  block.cpu = kNoCpu;
  if (auto status = BeginTasksSegmentIfDue(); !status.ok()) return status;
  return AppendToStream(block, tasks_, BlockKind::kTasks);
}

absl::Status SessionWriter::AppendResources(const pb::ResourceBlock& block) {
  if (block.samples().empty()) return absl::OkStatus();
  if (auto status = BeginTasksSegmentIfDue(); !status.ok()) return status;
  const auto encoded = encoder_.EncodeResources(block, resources_.next_sequence());
  if (!encoded.ok()) return encoded.status();
  return AppendBlock(*encoded, resources_);
}

// Writes the events in blocks of at most the limit. Where a message is too large, half as many are
// tried; one event alone always fits unless a name in it is megabytes long, which is the error
// then.
absl::Status SessionWriter::AppendToStream(EventBlock& block, StreamWriter& stream,
                                           BlockKind kind) {
  time_inversions_sorted_ += SortByTime(block.events);
  size_t limit = BlockEventLimit(options_.ring_bytes, SegmentBytes());
  size_t done = 0;
  absl::Status status;
  while (done < block.events.size() && status.ok()) {
    const size_t count = std::min(limit, block.events.size() - done);
    const auto encoded = encoder_.EncodeEvents(block, done, count, kind, stream.next_sequence());
    if (absl::IsOutOfRange(encoded.status()) && count > 1) {
      limit = count / 2;
      continue;
    }
    status = encoded.ok() ? AppendBlock(*encoded, stream) : encoded.status();
    if (status.ok()) done += count;
  }
  if (done == block.events.size()) {
    block.Clear();
  } else {
    block.events.erase(block.events.begin(), block.events.begin() + static_cast<ptrdiff_t>(done));
  }
  return status;
}

absl::Status SessionWriter::AppendBlock(const EncodedBlock& block, StreamWriter& stream) {
  const uint64_t bytes = block.bytes.size();
  if (options_.max_bytes != 0 &&
      trace_bytes_ + 2 * bytes + SessionFileReserve() > options_.max_bytes) {
    size_limit_reached_ = true;
    return absl::ResourceExhaustedError(
        absl::StrCat(directory_, " has reached its size limit of ", options_.max_bytes, " bytes"));
  }
  if (options_.ring_bytes != 0) {
    if (SegmentIsFull(stream)) stream.CloseSegment();
    if (auto status = MakeRoom(bytes); !status.ok()) return status;
  }
  if (auto status = stream.Append(block, appended_bytes_); !status.ok()) return status;
  trace_bytes_ += bytes;
  appended_bytes_ += bytes;
  newest_time_ns_ = std::max(newest_time_ns_, block.header.last_time_ns);
  if (&stream != &resources_) events_written_ += block.header.events;
  DropOutdated();
  return absl::OkStatus();
}

absl::Status SessionWriter::AppendEncoded(const EncodedBlock& block) {
  switch (block.header.kind) {
    case BlockKind::kTasks:
      return AppendBlock(block, tasks_);
    case BlockKind::kResources:
      return AppendBlock(block, resources_);
    case BlockKind::kActivities:
      return absl::InvalidArgumentError("a block of an imported graph is no part of a recording");
    case BlockKind::kEvents:
      break;
  }
  return AppendBlock(block, CpuStream(block.header.cpu));
}

absl::Status SessionWriter::AppendIdentity() {
  identity_.Clear();
  identity_.cpu = kNoCpu;
  if (identity_snapshot_) identity_snapshot_(identity_);
  if (identity_.empty()) return absl::OkStatus();
  return AppendToStream(identity_, tasks_, BlockKind::kTasks);
}

absl::Status SessionWriter::WriteSession(const pb::Session& session) {
  pb::Session versioned = session;
  versioned.set_format_version(kSessionFormatVersion);
  versioned.set_events(events_on_disk());
  const std::string bytes = versioned.SerializeAsString();
  if (options_.ring_bytes != 0) {
    // The new one and the old one are there at once for a moment.
    const uint64_t session_bytes = std::max<uint64_t>(session_file_bytes_, bytes.size());
    session_file_bytes_ = session_bytes;
    if (auto status = MakeRoom(0); !status.ok()) return status;
  }
  next_session_file_room_.Close();
  if (auto status = ReplaceFile(absl::StrCat(directory_, "/", kSessionFileName), bytes);
      !status.ok()) {
    return status;
  }
  session_file_bytes_ = bytes.size();
  next_session_file_room_ = HoldSpace(directory_, SessionFileReserve() - session_file_bytes_);
  return absl::OkStatus();
}

absl::Status SessionWriter::WriteSymbols(const pb::Symbols& symbols) {
  const auto packed = PackSymbols(symbols);
  return packed.ok() ? WritePackedSymbols(*packed) : packed.status();
}

absl::Status SessionWriter::WritePackedSymbols(const std::string& packed) {
  const uint64_t bytes = packed.size();
  const uint64_t limit =
      options_.ring_bytes == 0 ? options_.max_bytes : options_.ring_bytes;  // 0: none
  if (limit != 0 &&
      (bytes > limit / 4 || (options_.ring_bytes == 0 &&
                             trace_bytes_ + bytes + SessionFileReserve() > options_.max_bytes)))
    return absl::ResourceExhaustedError(absl::StrCat("the names of the code, ", bytes,
                                                     " bytes, do not fit into what ", directory_,
                                                     " may take"));
  symbols_file_bytes_ = std::max(symbols_file_bytes_, bytes);
  if (options_.ring_bytes != 0)
    if (auto status = MakeRoom(0); !status.ok()) return status;
  if (auto status = gordian::WritePackedSymbols(directory_, packed); !status.ok()) return status;
  symbols_file_bytes_ = bytes;
  return absl::OkStatus();
}

}  // namespace gordian
