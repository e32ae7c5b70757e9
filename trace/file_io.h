// SPDX-License-Identifier: Apache-2.0
// Reading and writing files whole: interrupted and partial system calls are carried on, errors
// become lines for the user.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

// The error of a system call as a status: "cannot write /a/b: No space left on device; free some
// space …". ResourceExhausted if the disk, a quota or a limit on sizes is the reason.
absl::Status SystemError(int error_number, const std::string& what, const std::string& path);

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.Release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() { Close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  void Close();

 private:
  int Release();
  int descriptor_ = -1;
};

// A new file; AlreadyExists if there is one of that name.
absl::StatusOr<FileHandle> CreateFile(const std::string& path);

// Tells a file from another one, and from itself before a change.
struct FileState {
  uint64_t inode = 0;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;  // by the file system's clock: nobody chooses it
  bool operator==(const FileState&) const = default;
};
FileState StateOf(const struct stat& status);

// A regular file (never a device or a pipe, whose opening could hang) and its size.
struct InputFile {
  FileHandle handle;
  uint64_t size_bytes = 0;
  FileState identity;
};
absl::StatusOr<InputFile> OpenFile(const std::string& path);

// Writes all of `bytes` at the end of the file.
absl::Status WriteAll(const FileHandle& file, std::span<const uint8_t> bytes,
                      const std::string& path);

// Makes `path` hold `bytes` in one step: written aside, then renamed. A reader sees the old or the
// new file, whole, even if this process is killed at any time. (Not after a power failure: waiting
// for the disk would disturb the recorded program.)
absl::Status ReplaceFile(const std::string& path, const std::string& bytes);

// Room on the disk of `directory`, held until the handle is closed: an unnamed file, which goes
// even if this process is killed. Not open if the disk is full or its file system knows no such
// files.
FileHandle HoldSpace(const std::string& directory, uint64_t size_bytes);

// Reads up to `out.size()` bytes at `offset`; fewer only where the file ends. Returns how many.
absl::StatusOr<size_t> ReadAt(const FileHandle& file, uint64_t offset, std::span<uint8_t> out,
                              const std::string& path);

// The first `size_bytes` of `from` as the new file `to`.
absl::Status CopyFile(const std::string& from, const std::string& to, uint64_t size_bytes);

// Makes `directory`, which may be there if it is empty. AlreadyExists, and nothing touched, if
// something is in it.
absl::Status MakeEmptyDirectory(const std::string& directory);

}  // namespace gordian
