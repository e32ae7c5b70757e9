// SPDX-License-Identifier: Apache-2.0
#include "trace/session_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/node_sessions.h"
#include "trace/resource_block.h"
#include "trace/session_folder.h"

namespace gordian {
namespace {

// Of all samples of a session in memory: a day of 200 resources, each second.
constexpr uint64_t kMaxResourceBytes = 1u << 30;

}  // namespace

absl::StatusOr<std::unique_ptr<SessionReader>> SessionReader::Open(const std::string& directory) {
  if (auto status = CheckIsFolder(directory); !status.ok()) return status;
  std::unique_ptr<SessionReader> reader(new SessionReader(directory));
  if (auto read = reader->ReadDescription(); !read.ok()) return read;
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

absl::Status SessionReader::ReadDescription() {
  auto file = ReadSessionFile(directory_);
  if (!file.ok()) return file.status();
  bytes_on_disk_ += file->bytes;
  if (file->identity) files_.push_back({kSessionFileName, *file->identity});
  has_session_file_ = file->session.has_value();
  if (!has_session_file_) {
    ++damage_.unreadable_files;
  } else {
    session_ = *std::move(file->session);
  }
  return absl::OkStatus();
}

absl::Status SessionReader::ReadSegments() {
  const auto listed = ListSegments(directory_);
  if (!listed.ok()) return listed.status();
  if (listed->empty() && !has_session_file_) return NoSession();
  for (const SegmentName& name : *listed) AddSegment(name);
  CountMissing();
  return absl::OkStatus();
}

absl::Status SessionReader::NoSession() const {
  std::error_code error;
  if (std::filesystem::exists(absl::StrCat(directory_, "/", kSessionFileName), error)) {
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
  return absl::FailedPreconditionError(absl::StrCat(directory_,
                                                    " holds no session: there is no readable ",
                                                    kSessionFileName, " and no .trace file in it"));
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
    case BlockKind::kActivities:  // of no recording
      break;
  }
}

absl::StatusOr<std::vector<pb::ResourceBlock>> SessionReader::ReadResources() {
  std::vector<pb::ResourceBlock> blocks;
  BlockDecoder decoder;
  uint64_t memory_bytes = 0;
  for (const ResourceSegment& segment : resources_) {
    const auto file = OpenFile(segment.path);
    if (!file.ok()) {
      ++damage_.unreadable_files;
      continue;
    }
    for (const FoundBlock& found : segment.blocks) {
      auto block = ReadResourceBlock(file->handle, segment.path, found, decoder);
      if (!block.ok()) {
        CountCorruptBlock(found.header.block_bytes());
        continue;
      }
      memory_bytes += block->SpaceUsedLong();
      if (memory_bytes > kMaxResourceBytes) {
        return absl::ResourceExhaustedError(absl::StrCat(
            directory_, ": its resource samples take more than ", kMaxResourceBytes, " bytes"));
      }
      blocks.push_back(*std::move(block));
    }
  }
  return blocks;
}

void SessionReader::CountCorruptBlock(uint64_t bytes) {
  ++damage_.corrupt_blocks;
  damage_.skipped_bytes += bytes;
}

}  // namespace gordian
