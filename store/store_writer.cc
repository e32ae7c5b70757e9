// SPDX-License-Identifier: Apache-2.0
#include "store/store_writer.h"

#include <fcntl.h>
#include <google/protobuf/message_lite.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "base/time_units.h"
#include "store/store_writer_impl.h"

namespace gordian {
namespace {

constexpr size_t kMaxSectionNameBytes = 256;
// If nothing is granted any more, room is made for so much at once, because that looks at the whole
// folder: a 64th of the limit, at most 64 MiB.
constexpr uint64_t kRoomPerLimit = 64;
constexpr uint64_t kMaxRoomBytes = 64 << 20;

int64_t RealtimeNowNs() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * int64_t{kNsPerSecond} + now.tv_nsec;
}

// Writing beyond it would not fail but kill (SIGXFSZ).
uint64_t LargestFileBytes() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

absl::Status WriteAt(const FileHandle& file, uint64_t offset, std::span<const std::byte> bytes,
                     const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(errno, "cannot write into", path);
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

// Writes what is short at once, if it lies in pages that follow each other: a small entry takes one
// write, and not one for each section. The rest of each page is zero. It begins with the header's
// page.
class ShortWrites {
 public:
  ShortWrites(const FileHandle& file, const std::string& path)
      : file_(file), path_(path), waiting_(PageBytes()) {}

  absl::Status Add(uint64_t offset, std::span<const std::byte> bytes) {
    if (begin_ + RoundUpToPage(waiting_.size()) != offset ||
        waiting_.size() + bytes.size() > kMostWaitingBytes) {
      if (absl::Status status = Flush(); !status.ok()) return status;
      begin_ = offset;
    }
    if (bytes.size() > kMostWaitingBytes) return WriteAt(file_, offset, bytes, path_);
    waiting_.resize(offset - begin_);
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    return absl::OkStatus();
  }
  // What is left, and the header.
  absl::Status Finish(std::span<const std::byte> header) {
    if (begin_ == 0) {
      std::copy(header.begin(), header.end(), waiting_.begin());
      return Flush();
    }
    if (absl::Status status = Flush(); !status.ok()) return status;
    return WriteAt(file_, 0, header, path_);
  }

 private:
  absl::Status Flush() {
    absl::Status status = WriteAt(file_, begin_, waiting_, path_);
    waiting_.clear();
    return status;
  }

  static constexpr size_t kMostWaitingBytes = 256 << 10;

  const FileHandle& file_;
  const std::string& path_;
  uint64_t begin_ = 0;
  std::vector<std::byte> waiting_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StoreWriter::Impl>> StoreWriter::Impl::Begin(
    std::shared_ptr<StoreFolder> folder, const StoreKey& key, const std::string& recording_path,
    uint64_t expected_bytes) {
  for (const std::string* text : {&key.recording, &key.stage, &key.options, &recording_path}) {
    if (text->size() > kMaxTextBytes)
      return absl::InvalidArgumentError("an analysis with such long options is not kept");
  }
  if (absl::Status status = folder->MakeRoom(expected_bytes); !status.ok()) return status;
  std::string aside;
  absl::StatusOr<FileHandle> file = folder->CreateAside(aside);
  if (!file.ok()) return file.status();
  auto impl = std::make_unique<Impl>();
  impl->folder = std::move(folder);
  impl->largest_file_bytes = LargestFileBytes();
  impl->table.key = key;
  impl->table.recording_path = recording_path;
  impl->aside = std::move(aside);
  impl->file = *std::move(file);
  impl->end_bytes = PageBytes();  // the header's
  impl->room_bytes = expected_bytes;
  return impl;
}

StoreWriter::Impl::~Impl() {
  if (is_aside && file.is_open()) folder->Remove(aside);
  if (folder != nullptr) folder->GiveBack(room_bytes);
}

absl::Status StoreWriter::Impl::status() const {
  const std::lock_guard lock(mutex);
  return failure;
}

absl::Status StoreWriter::Impl::Fail(absl::Status status) {
  const std::lock_guard lock(mutex);
  if (failure.ok()) failure = std::move(status);
  // The name goes at once; the blocks go with the last who holds them.
  if (std::exchange(is_aside, false)) folder->Remove(aside);
  return failure;
}

GrowingSection::State* StoreWriter::Impl::AddSection(std::string_view name) {
  bool is_good = !name.empty() && name.size() <= kMaxSectionNameBytes;
  GrowingSection::State* added = nullptr;
  {
    const std::lock_guard lock(mutex);
    const std::string whole_name = prefix + std::string(name);
    for (const GrowingSection::State& state : sections)
      is_good = is_good && state.section.name != whole_name;
    // Named under the lock: others compare their names with it.
    added = &sections.emplace_back();
    added->writer = this;
    added->section.name = whole_name;
  }
  if (!is_good)
    Fail(absl::InvalidArgumentError(
             absl::StrCat("no section can be called '", std::string(name), "' here")))
        .IgnoreError();
  return added;
}

absl::StatusOr<uint64_t> StoreWriter::Impl::Take(uint64_t bytes) {
  const std::lock_guard lock(mutex);
  if (!failure.ok()) return failure;
  const uint64_t taken = RoundUpToPage(bytes);
  if (taken < bytes || end_bytes + taken < end_bytes || end_bytes + taken > largest_file_bytes)
    return absl::ResourceExhaustedError(
        absl::StrCat("no file in ", folder->path(), " may be so large (ulimit -f)"));
  if (taken > room_bytes) {
    uint64_t more = taken - room_bytes;
    if (!folder->TakeGranted(more)) {
      more = std::max(more, std::min(kMaxRoomBytes, folder->limits().max_bytes / kRoomPerLimit));
      if (absl::Status status = folder->MakeRoom(more); !status.ok()) return status;
    }
    room_bytes += more;
  }
  room_bytes -= taken;
  return std::exchange(end_bytes, end_bytes + taken);
}

absl::StatusOr<uint64_t> StoreWriter::Impl::TakeChunk(StoredSection& section,
                                                      std::span<const std::byte> bytes) {
  absl::StatusOr<uint64_t> offset = Take(bytes.size());
  if (!offset.ok()) return offset;
  section.bytes += bytes.size();
  section.chunks.push_back({*offset, ContentHash(bytes)});
  return offset;
}

absl::Status StoreWriter::Impl::WriteChunk(StoredSection& section,
                                           std::span<const std::byte> bytes) {
  const absl::StatusOr<uint64_t> offset = TakeChunk(section, bytes);
  if (!offset.ok()) return offset.status();
  return WriteAt(file, *offset, bytes, folder->path());
}

void StoreWriter::Impl::Append(GrowingSection::State& state, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    absl::Status written;
    if (state.tail.empty() && bytes.size() >= kChunkBytes) {
      written = WriteChunk(state.section, bytes.first(kChunkBytes));
      bytes = bytes.subspan(kChunkBytes);
    } else {
      const size_t taken = std::min(bytes.size(), kChunkBytes - state.tail.size());
      state.tail.insert(state.tail.end(), bytes.begin(), bytes.begin() + taken);
      bytes = bytes.subspan(taken);
      if (state.tail.size() < kChunkBytes) continue;
      written = WriteChunk(state.section, state.tail);
      state.tail.clear();
    }
    if (!written.ok()) return Fail(std::move(written)).IgnoreError();
  }
}

absl::StatusOr<std::span<std::byte>> StoreWriter::Impl::MapSection(GrowingSection::State& state,
                                                                   uint64_t bytes) {
  if (absl::Status before = status(); !before.ok() || bytes == 0) {
    if (!before.ok()) return before;
    return std::span<std::byte>();
  }
  const absl::StatusOr<uint64_t> offset = Take(bytes);
  if (!offset.ok()) return Fail(offset.status());
  const int error = ::posix_fallocate(file.get(), static_cast<off_t>(*offset),
                                      static_cast<off_t>(RoundUpToPage(bytes)));
  if (error != 0) return Fail(SystemError(error, "cannot take space in", folder->path()));
  absl::StatusOr<FileMapping> mapping = FileMapping::ToWrite(file, *offset, bytes);
  if (!mapping.ok()) return Fail(mapping.status());
  state.mapping = *std::move(mapping);
  state.section.bytes = bytes;
  for (uint64_t i = 0; i < ChunkCount(bytes); ++i)
    state.section.chunks.push_back({.offset = *offset + i * kChunkBytes});
  return state.mapping.bytes();
}

absl::Status StoreWriter::Impl::HashMappedSections() {
  for (GrowingSection::State& state : sections) {
    const std::span<const std::byte> bytes = state.mapping.bytes();
    if (bytes.empty()) continue;
    // Whoever still writes into it is stopped: the hashes would be wrong.
    if (absl::Status status = state.mapping.MakeReadOnly(); !status.ok()) return status;
    ParallelFor(folder->threads(), state.section.chunks.size(), [&](size_t i, int) {
      state.section.chunks[i].hash =
          ContentHash(bytes.subspan(i * kChunkBytes, ChunkBytes(bytes.size(), i)));
    });
  }
  return absl::OkStatus();
}

absl::Status StoreWriter::Impl::Finish() {
  ShortWrites writes(file, folder->path());
  for (GrowingSection::State& state : sections) {
    if (state.tail.empty()) continue;
    const absl::StatusOr<uint64_t> offset = TakeChunk(state.section, state.tail);
    if (!offset.ok()) return offset.status();
    if (absl::Status status = writes.Add(*offset, state.tail); !status.ok()) return status;
    state.tail = {};
  }
  if (absl::Status status = HashMappedSections(); !status.ok()) return status;
  for (const GrowingSection::State& state : sections) table.sections.push_back(state.section);
  table.stored_realtime_ns = RealtimeNowNs();
  const std::string encoded = EncodeTable(table);
  if (encoded.size() > kMaxTableBytes)
    return absl::ResourceExhaustedError("an analysis has too many parts to be kept");
  const absl::StatusOr<uint64_t> offset = Take(encoded.size());
  if (!offset.ok()) return offset.status();
  absl::Status status = writes.Add(*offset, std::as_bytes(std::span(encoded)));
  if (status.ok()) status = writes.Finish(EncodeHeader(*offset, encoded));
  if (!status.ok()) return status;
  StoreFolder::Touch(file);
  return folder->Rename(aside, EntryFileName(table.key));
}

absl::Status StoreWriter::Impl::Commit() {
  if (absl::Status before = status(); !before.ok()) return before;
  if (absl::Status finished = Finish(); !finished.ok()) return Fail(std::move(finished));
  {
    const std::lock_guard lock(mutex);
    folder->GiveBack(std::exchange(room_bytes, 0));
    is_aside = false;
    failure = absl::FailedPreconditionError("this analysis is kept already");
  }
  // Now the entry can be found. Mapped sections would hold the lock longer than the descriptor.
  StoreFolder::Unlock(file);
  file.Close();
  // What others wrote meanwhile counts, too.
  folder->MakeRoom(0).IgnoreError();
  return absl::OkStatus();
}

void GrowingSection::Append(std::span<const std::byte> bytes) {
  state_->writer->Append(*state_, bytes);
}

StoreWriter::StoreWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreWriter::StoreWriter(StoreWriter&& other) noexcept = default;
StoreWriter& StoreWriter::operator=(StoreWriter&& other) noexcept = default;
StoreWriter::~StoreWriter() = default;

void StoreWriter::BeginMember(std::string_view name) {
  const std::lock_guard lock(impl_->mutex);
  impl_->prefix = MemberPrefix(name);
}

void StoreWriter::AddBytes(std::string_view section, std::span<const std::byte> bytes) {
  Grow(section).Append(bytes);
}

void StoreWriter::AddMessage(std::string_view section,
                             const google::protobuf::MessageLite& message) {
  std::string bytes;
  if (message.SerializeToString(&bytes)) {
    AddBytes(section, std::as_bytes(std::span(bytes)));
  } else {
    impl_
        ->Fail(absl::ResourceExhaustedError(
            absl::StrCat(std::string(section), " is too large to be kept")))
        .IgnoreError();
  }
}

GrowingSection StoreWriter::Grow(std::string_view section) {
  return GrowingSection(impl_->AddSection(section));
}

absl::StatusOr<std::span<std::byte>> StoreWriter::MappedSection(std::string_view section,
                                                                uint64_t bytes) {
  return impl_->MapSection(*impl_->AddSection(section), bytes);
}

absl::Status StoreWriter::status() const { return impl_->status(); }

absl::Status StoreWriter::Commit() { return impl_->Commit(); }

}  // namespace gordian
