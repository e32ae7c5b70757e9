// SPDX-License-Identifier: Apache-2.0
// Memory that is a file's content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/entry_format.h"
#include "trace/file_io.h"

namespace gordian {

class FileMapping {
 public:
  FileMapping() = default;  // of nothing
  FileMapping(FileMapping&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), is_part_(other.is_part_) {}
  FileMapping& operator=(FileMapping&& other) noexcept;
  ~FileMapping();

  // The section's chunks in a row, read-only. What is written after MakeWritable stays in memory.
  static absl::StatusOr<FileMapping> OfSection(const FileHandle& file,
                                               const StoredSection& section);
  // The file's first bytes, likewise.
  static absl::StatusOr<FileMapping> OfBeginning(const FileHandle& file, uint64_t bytes);
  // A part of it, which must outlive that.
  FileMapping Part(uint64_t offset, uint64_t bytes) const;
  // A stretch of the file to be written to. Its blocks must be there: a full disk would kill.
  static absl::StatusOr<FileMapping> ToWrite(const FileHandle& file, uint64_t offset,
                                             uint64_t bytes);

  std::span<std::byte> bytes() const { return bytes_; }
  bool is_part() const { return is_part_; }
  absl::Status MakeWritable();
  absl::Status MakeReadOnly();

 private:
  explicit FileMapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  absl::Status Protect(int protection);

  std::span<std::byte> bytes_;
  bool is_part_ = false;  // then another one ends it
};

}  // namespace gordian
