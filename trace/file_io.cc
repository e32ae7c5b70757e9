// SPDX-License-Identifier: Apache-2.0
#include "trace/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"

namespace gordian {
namespace {

// The contents of a recording are for root and the group that the folder belongs to.
constexpr mode_t kDirectoryMode = 0750;
constexpr mode_t kFileMode = 0640;
constexpr size_t kCopyBytes = 1u << 20;

bool IsOutOfSpace(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

}  // namespace

absl::Status SystemError(int error_number, const std::string& what, const std::string& path) {
  const std::string message =
      absl::StrCat(what, " ", path, ": ", std::generic_category().message(error_number));
  if (IsOutOfSpace(error_number)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(message, "; free some space or choose another directory"));
  }
  return absl::ErrnoToStatus(error_number, absl::StrCat(what, " ", path));
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    Close();
    descriptor_ = other.Release();
  }
  return *this;
}

void FileHandle::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int FileHandle::Release() { return std::exchange(descriptor_, -1); }

absl::StatusOr<FileHandle> CreateFile(const std::string& path) {
  FileHandle file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return SystemError(errno, "cannot create", path);
  return file;
}

FileState StateOf(const struct stat& status) {
  const auto in_ns = [](const timespec& time) {
    return int64_t{time.tv_sec} * int64_t{kNsPerSecond} + time.tv_nsec;
  };
  return {.inode = status.st_ino,
          .size_bytes = static_cast<uint64_t>(status.st_size),
          .modified_ns = in_ns(status.st_mtim),
          .changed_ns = in_ns(status.st_ctim)};
}

absl::StatusOr<InputFile> OpenFile(const std::string& path) {
  InputFile file;
  file.handle = FileHandle(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.handle.is_open()) return SystemError(errno, "cannot open", path);
  struct stat status {};
  if (fstat(file.handle.get(), &status) != 0) return SystemError(errno, "cannot inspect", path);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  }
  file.size_bytes = static_cast<uint64_t>(status.st_size);
  file.identity = StateOf(status);
  return file;
}

absl::Status WriteAll(const FileHandle& file, std::span<const uint8_t> bytes,
                      const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(errno, "cannot write", path);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status ReplaceFile(const std::string& path, const std::string& bytes) {
  const std::string aside = absl::StrCat(path, ".new");
  unlink(aside.c_str());  // a killed writer may have left it
  auto file = CreateFile(aside);
  auto status = file.status();
  if (status.ok()) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    status = WriteAll(*file, std::span(data, bytes.size()), aside);
  }
  if (status.ok() && rename(aside.c_str(), path.c_str()) != 0) {
    status = SystemError(errno, "cannot replace", path);
  }
  if (!status.ok()) unlink(aside.c_str());
  return status;
}

FileHandle HoldSpace(const std::string& directory, uint64_t size_bytes) {
  FileHandle file(open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return file;
  if (posix_fallocate(file.get(), 0, static_cast<off_t>(size_bytes)) != 0) file.Close();
  return file;
}

absl::StatusOr<size_t> ReadAt(const FileHandle& file, uint64_t offset, std::span<uint8_t> out,
                              const std::string& path) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t read =
        pread(file.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return SystemError(errno, "cannot read", path);
    if (read == 0) break;
    done += static_cast<size_t>(read);
  }
  return done;
}

absl::Status CopyFile(const std::string& from, const std::string& to, uint64_t size_bytes) {
  auto source = OpenFile(from);
  if (!source.ok()) return source.status();
  auto target = CreateFile(to);
  if (!target.ok()) return target.status();
  std::vector<uint8_t> buffer(std::min<uint64_t>(size_bytes, kCopyBytes));
  for (uint64_t offset = 0; offset < size_bytes;) {
    const size_t wanted = std::min<uint64_t>(buffer.size(), size_bytes - offset);
    const auto read = ReadAt(source->handle, offset, std::span(buffer).first(wanted), from);
    if (!read.ok()) return read.status();
    if (*read == 0) return absl::DataLossError(absl::StrCat(from, " became shorter"));
    if (auto status = WriteAll(*target, std::span(buffer).first(*read), to); !status.ok()) {
      return status;
    }
    offset += *read;
  }
  return absl::OkStatus();
}

absl::Status MakeEmptyDirectory(const std::string& directory) {
  if (mkdir(directory.c_str(), kDirectoryMode) == 0) return absl::OkStatus();
  if (errno == ENOENT)
    return absl::NotFoundError(
        absl::StrCat("cannot make the directory ", directory,
                     ": the folder that it would be in does not exist; make that first"));
  if (errno != EEXIST) return SystemError(errno, "cannot make the directory", directory);
  std::error_code error;
  const bool is_empty = std::filesystem::is_empty(directory, error);
  if (error) return SystemError(error.value(), "cannot use the directory", directory);
  if (!std::filesystem::is_directory(directory, error) || !is_empty) {
    return absl::AlreadyExistsError(absl::StrCat(
        directory, " exists and is not an empty directory: choose another one, or remove it"));
  }
  return absl::OkStatus();
}

}  // namespace gordian
