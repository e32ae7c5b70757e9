// SPDX-License-Identifier: Apache-2.0
#include "trace/session_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/node_sessions.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxSessionFileBytes = 8u << 20;
// Of all samples of a session in memory: a day of 200 resources, each second.
constexpr uint64_t kMaxResourceBytes = 1u << 30;

}  // namespace

absl::StatusOr<std::unique_ptr<SessionReader>> SessionReader::Open(const std::string& directory) {
  std::error_code error;
  const auto status = std::filesystem::status(directory, error);
  if (!std::filesystem::exists(status)) {
    if (error == std::errc::permission_denied) {
      return absl::PermissionDeniedError(absl::StrCat(
          directory, " is not yours to read: use sudo, or ask its owner (of gordiand's sessions: ",
          "join the group gordian)"));
    }
    return absl::NotFoundError(absl::StrCat(directory, " does not exist: give a session's folder"));
  }
  if (!std::filesystem::is_directory(status)) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory, " is not a folder: give a session's folder"));
  }
  std::unique_ptr<SessionReader> reader(new SessionReader(directory));
  if (auto read = reader->ReadSessionFile(); !read.ok()) return read;
  if (auto read = reader->ReadSegments(); !read.ok()) return read;
  return reader;
}

std::unique_ptr<SessionReader> SessionReader::Held(pb::Session session,
                                                   std::vector<std::unique_ptr<EventStream>> cpus,
                                                   std::unique_ptr<EventStream> tasks) {
  std::unique_ptr<SessionReader> reader(new SessionReader(""));
  reader->session_ = std::move(session);
  reader->has_session_file_ = true;
  reader->cpus_ = std::move(cpus);
  reader->tasks_ = std::move(tasks);
  reader->CountMissing();
  return reader;
}

absl::Status SessionReader::ReadSessionFile() {
  const std::string path = absl::StrCat(directory_, "/", kSessionFileName);
  const auto file = OpenFile(path);
  if (!file.ok() || file->size_bytes > kMaxSessionFileBytes) {
    ++damage_.unreadable_files;
    return absl::OkStatus();
  }
  std::vector<uint8_t> bytes(file->size_bytes);
  const auto read = ReadAt(file->handle, 0, bytes, path);
  bytes_on_disk_ += bytes.size();
  files_.push_back({kSessionFileName, file->identity});
  if (!read.ok() || !session_.ParseFromArray(bytes.data(), static_cast<int>(*read)) ||
      session_.format_version() == 0) {
    session_.Clear();
    ++damage_.unreadable_files;
    return absl::OkStatus();
  }
  if (session_.format_version() > kSessionFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        directory_, " was written by a newer gordian (format ", session_.format_version(),
        ", this one reads up to ", kSessionFormatVersion, "): read it with that version"));
  }
  has_session_file_ = true;
  return absl::OkStatus();
}

absl::Status SessionReader::ReadSegments() {
  std::vector<SegmentName> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto name = ParseSegmentFileName(entry->path().filename().string())) {
      names.push_back(*name);
    }
  }
  if (error) return SystemError(error.value(), "cannot list", directory_);
  if (names.empty() && !has_session_file_) {
    if (damage_.unreadable_files > 0 &&
        std::filesystem::exists(absl::StrCat(directory_, "/", kSessionFileName), error)) {
      return absl::FailedPreconditionError(
          absl::StrCat(directory_, " holds no session that can be read: its ", kSessionFileName,
                       " is damaged or not yours to read, and there is no .trace file in it"));
    }
    if (const auto nodes = FindNodeSessions(directory_); nodes.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(directory_, " holds the recordings of ", nodes->size(),
                       nodes->size() == 1 ? " node" : " nodes",
                       "; this needs one of them: ", nodes->front().directory));
    }
    return absl::FailedPreconditionError(
        absl::StrCat(directory_, " holds no session: there is no readable ", kSessionFileName,
                     " and no .trace file in it"));
  }
  // By kind, CPU and number: the order that streams and their segments shall have.
  std::sort(names.begin(), names.end());
  for (const SegmentName& name : names) AddSegment(name);
  CountMissing();
  return absl::OkStatus();
}

void SessionReader::CountMissing() {
  for (const auto& cpu : cpus_) CountMissingBlocks(*cpu);
  if (tasks_ != nullptr) CountMissingBlocks(*tasks_);
}

// In a flight recorder, and if it is not known whether it was one, blocks before the first gave
// way.
void SessionReader::CountMissingBlocks(const EventStream& stream) {
  if (stream.blocks().empty()) return;
  const bool keeps_all = has_session_file_ && session_.options().ring_bytes() == 0;
  uint64_t due = keeps_all ? 0 : stream.blocks().front().sequence;
  for (const BlockInfo& block : stream.blocks()) {
    // A number may come again where a file was put together by hand; that leaves nothing out.
    if (block.sequence > due) damage_.missing_blocks += block.sequence - due;
    due = std::max(due, block.sequence + 1);
  }
}

void SessionReader::AddSegment(const SegmentName& name) {
  const std::string path = absl::StrCat(directory_, "/", SegmentFileName(name));
  auto scan = ScanSegment(path, name.stream);
  if (!scan.ok()) {
    ++damage_.unreadable_files;
    return;
  }
  damage_ += scan->damage;
  bytes_on_disk_ += scan->file_bytes;
  files_.push_back({SegmentFileName(name), scan->identity});
  switch (name.stream.kind) {
    case BlockKind::kEvents:
      if (cpus_.empty() || cpus_.back()->cpu() != name.stream.cpu) {
        cpus_.push_back(std::make_unique<EventStream>(name.stream));
      }
      cpus_.back()->AddSegment(path, scan->blocks);
      break;
    case BlockKind::kTasks:
      if (tasks_ == nullptr) tasks_ = std::make_unique<EventStream>(name.stream);
      tasks_->AddSegment(path, scan->blocks);
      break;
    case BlockKind::kResources:
      resources_.push_back({path, std::move(scan->blocks)});
      break;
  }
}

absl::StatusOr<std::vector<pb::ResourceBlock>> SessionReader::ReadResources() {
  std::vector<pb::ResourceBlock> blocks;
  BlockDecoder decoder;
  std::vector<uint8_t> payload;
  uint64_t memory_bytes = 0;
  for (const ResourceSegment& segment : resources_) {
    const auto file = OpenFile(segment.path);
    if (!file.ok()) {
      ++damage_.unreadable_files;
      continue;
    }
    for (const auto& [header, offset] : segment.blocks) {
      payload.resize(header.payload_bytes);
      const auto read = ReadAt(file->handle, offset + header.header_bytes, payload, segment.path);
      pb::ResourceBlock block;
      if (!read.ok() || *read != payload.size() ||
          !decoder.DecodeResources(header, payload, block).ok()) {
        CountCorruptBlock(header.block_bytes());
        continue;
      }
      memory_bytes += block.SpaceUsedLong();
      if (memory_bytes > kMaxResourceBytes) {
        return absl::ResourceExhaustedError(absl::StrCat(
            directory_, ": its resource samples take more than ", kMaxResourceBytes, " bytes"));
      }
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

void SessionReader::CountCorruptBlock(uint64_t bytes) {
  ++damage_.corrupt_blocks;
  damage_.skipped_bytes += bytes;
}

}  // namespace gordian
