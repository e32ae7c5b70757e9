// SPDX-License-Identifier: Apache-2.0
#include "store/mapping.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace gordian {
namespace {

absl::Status CannotMap() { return absl::ErrnoToStatus(errno, "cannot map an entry"); }

// The number of chunks from `first` on that lie one behind the other.
size_t ChunksInARow(const StoredSection& section, size_t first) {
  size_t end = first + 1;
  while (end < section.chunks.size() &&
         section.chunks[end].offset == section.chunks[end - 1].offset + kChunkBytes)
    ++end;
  return end - first;
}

}  // namespace

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(is_part_, other.is_part_);
  return *this;
}

FileMapping::~FileMapping() {
  if (!bytes_.empty() && !is_part_) ::munmap(bytes_.data(), bytes_.size());
}

absl::StatusOr<FileMapping> FileMapping::OfSection(const FileHandle& file,
                                                   const StoredSection& section) {
  if (section.bytes == 0) return FileMapping();
  // The place for all of it first; then its pieces, each where it belongs.
  void* const place =
      ::mmap(nullptr, section.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return CannotMap();
  FileMapping mapping(std::span(static_cast<std::byte*>(place), section.bytes));
  for (size_t first = 0; first < section.chunks.size();) {
    const size_t count = ChunksInARow(section, first);
    const uint64_t begin = first * kChunkBytes;
    const uint64_t bytes = std::min(section.bytes - begin, count * kChunkBytes);
    if (::mmap(mapping.bytes_.data() + begin, bytes, PROT_READ,
               MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file.get(),
               static_cast<off_t>(section.chunks[first].offset)) == MAP_FAILED)
      return CannotMap();
    first += count;
  }
  return mapping;
}

absl::StatusOr<FileMapping> FileMapping::OfBeginning(const FileHandle& file, uint64_t bytes) {
  if (bytes == 0) return FileMapping();
  void* const place =
      ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, file.get(), /*offset=*/0);
  if (place == MAP_FAILED) return CannotMap();
  return FileMapping(std::span(static_cast<std::byte*>(place), bytes));
}

FileMapping FileMapping::Part(uint64_t offset, uint64_t bytes) const {
  FileMapping part(bytes_.subspan(offset, bytes));
  part.is_part_ = true;
  return part;
}

absl::StatusOr<FileMapping> FileMapping::ToWrite(const FileHandle& file, uint64_t offset,
                                                 uint64_t bytes) {
  if (bytes == 0) return FileMapping();
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                             static_cast<off_t>(offset));
  if (place == MAP_FAILED) return CannotMap();
  return FileMapping(std::span(static_cast<std::byte*>(place), bytes));
}

absl::Status FileMapping::MakeWritable() { return Protect(PROT_READ | PROT_WRITE); }

absl::Status FileMapping::MakeReadOnly() { return Protect(PROT_READ); }

absl::Status FileMapping::Protect(int protection) {
  if (bytes_.empty() || ::mprotect(bytes_.data(), bytes_.size(), protection) == 0)
    return absl::OkStatus();
  return CannotMap();
}

}  // namespace gordian
