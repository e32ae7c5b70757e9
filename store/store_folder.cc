// SPDX-License-Identifier: Apache-2.0
#include "store/store_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/time_units.h"
#include "trace/own_folder.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr std::string_view kAside = "new-";
constexpr size_t kEntryNameBytes = 32;
constexpr mode_t kEntryMode = 0600;
constexpr int kOpenForReading = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
// A file aside can be swept between its creation and its lock.
constexpr int kCreateTries = 8;
// With fewer, as many ranks of a machine would together write more than there is room for.
constexpr uint64_t kSharesOfRoom = 64;

bool IsEntryName(std::string_view name) {
  return name.size() == kEntryNameBytes &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool TryLock(const FileHandle& file, int how) { return ::flock(file.get(), how | LOCK_NB) == 0; }

uint64_t BytesOf(const std::vector<StoreFile>& files) {
  uint64_t bytes = 0;
  for (const StoreFile& file : files) bytes += file.bytes;
  return bytes;
}

uint64_t Missing(uint64_t wanted, uint64_t there) { return wanted > there ? wanted - there : 0; }

uint64_t FreeBytes(int folder) {
  struct statvfs disk = {};
  if (::fstatvfs(folder, &disk) != 0) return UINT64_MAX;  // then writing tells
  return disk.f_bavail * disk.f_frsize;
}

}  // namespace

std::vector<StoreFile> StoreFolder::Files() const {
  std::vector<StoreFile> files;
  const int copy = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   [](DIR* folder) { return ::closedir(folder); });
  if (opened == nullptr) {
    if (copy >= 0) ::close(copy);
    return files;
  }
  for (const dirent* entry = ::readdir(opened.get()); entry != nullptr;
       entry = ::readdir(opened.get())) {
    const std::string_view name = entry->d_name;
    const bool is_entry = IsEntryName(name);
    struct stat status = {};
    if ((!is_entry && !name.starts_with(kAside)) ||
        ::fstatat(folder_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(status.st_mode))
      continue;
    const FileState identity = StateOf(status);
    files.push_back({std::string(name), identity.size_bytes, identity.modified_ns, is_entry});
  }
  return files;
}

absl::StatusOr<FileHandle> StoreFolder::OpenEntry(const std::string& name) const {
  FileHandle file(::openat(folder_.get(), name.c_str(), kOpenForReading));
  if (!file.is_open() && errno == ELOOP) return absl::DataLossError("an entry is a symbolic link");
  if (!file.is_open() || !TryLock(file, LOCK_SH)) return absl::NotFoundError("there is no entry");
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !IsOwn(status))
    return absl::DataLossError("an entry is no file of this user's own");
  return file;
}

void StoreFolder::Touch(const FileHandle& file) {
  // The kernel's own "now" is as coarse as its ticks: entries would be used at the same time.
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec times[] = {now, now};
  ::futimens(file.get(), times);
}

absl::StatusOr<FileHandle> StoreFolder::CreateAside(std::string& name) const {
  for (int i = 0; i < kCreateTries; ++i) {
    name = absl::StrFormat("%s%d-%08x", kAside, ::getpid(), next_aside_++);
    FileHandle file(::openat(folder_.get(), name.c_str(),
                             O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kEntryMode));
    if (!file.is_open() && errno == EEXIST) continue;
    if (!file.is_open()) return SystemError(errno, "cannot create a file in", path_);
    struct stat status = {};
    if (TryLock(file, LOCK_EX) && ::fstat(file.get(), &status) == 0 && status.st_nlink > 0)
      return file;
    Remove(name);  // someone sweeps
  }
  return absl::UnavailableError(
      absl::StrCat("cannot keep a file in ", path_, ": it is swept away"));
}

absl::Status StoreFolder::Rename(const std::string& aside, const std::string& entry) const {
  if (::renameat(folder_.get(), aside.c_str(), folder_.get(), entry.c_str()) == 0)
    return absl::OkStatus();
  return SystemError(errno, "cannot rename a file in", path_);
}

bool StoreFolder::Remove(const std::string& name) const {
  return ::unlinkat(folder_.get(), name.c_str(), 0) == 0;
}

void StoreFolder::Unlock(const FileHandle& file) { ::flock(file.get(), LOCK_UN); }

bool StoreFolder::RemoveUnused(const std::string& name) const {
  const FileHandle file(::openat(folder_.get(), name.c_str(), kOpenForReading));
  if (!file.is_open() && errno == ENOENT) return true;
  // Nobody reads a symbolic link, or what its owner may not read.
  const bool is_used = file.is_open() ? !TryLock(file, LOCK_EX) : errno != ELOOP && errno != EACCES;
  return !is_used && (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT);
}

void StoreFolder::Sweep() const {
  for (const StoreFile& file : Files())
    if (!file.is_entry) RemoveUnused(file.name);
}

absl::Status StoreFolder::OverLimit() const {
  return absl::ResourceExhaustedError(
      absl::StrCat("the analyses kept in ", path_, " reach their limit of ",
                   FormatSize(limits_.max_bytes), "; GORDIAN_STORE_LIMIT raises it"));
}

bool StoreFolder::TakeGranted(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes >= left_bytes_) return false;
  left_bytes_ -= bytes;
  return true;
}

void StoreFolder::Grant(uint64_t left_bytes) {
  const std::lock_guard lock(mutex_);
  granted_bytes_ = left_bytes_ = left_bytes / kSharesOfRoom;
}

void StoreFolder::GiveBack(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  left_bytes_ += std::min(bytes, granted_bytes_ - left_bytes_);
}

absl::Status StoreFolder::MakeRoom(uint64_t bytes) {
  if (bytes > limits_.max_bytes) return OverLimit();
  if (TakeGranted(bytes)) return absl::OkStatus();
  std::vector<StoreFile> files = Files();
  const uint64_t used_bytes = BytesOf(files) + bytes;
  const uint64_t others_bytes = limits_.keep_free_bytes + bytes;
  const uint64_t free_bytes = FreeBytes(folder_.get());
  const uint64_t over_limit = Missing(used_bytes, limits_.max_bytes);
  const uint64_t on_disk = Missing(others_bytes, free_bytes);
  uint64_t missing = std::max(over_limit, on_disk);
  Grant(std::min(Missing(limits_.max_bytes, used_bytes), Missing(free_bytes, others_bytes)));
  if (missing == 0) return absl::OkStatus();
  std::erase_if(files, [](const StoreFile& file) { return !file.is_entry; });
  if (missing <= BytesOf(files)) {
    std::sort(files.begin(), files.end(), [](const StoreFile& a, const StoreFile& b) {
      return std::tie(a.used_realtime_ns, a.name) < std::tie(b.used_realtime_ns, b.name);
    });
    for (const StoreFile& file : files) {
      if (RemoveUnused(file.name)) missing -= std::min(missing, file.bytes);
      if (missing == 0) return absl::OkStatus();
    }
  }
  if (over_limit >= on_disk) return OverLimit();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the disk of ", path_, " is nearly full: no analysis is kept; free some space there"));
}

void StoreFolder::RemoveDamaged(const std::string& name, const FileHandle& file) {
  ++damaged_entries_;
  struct stat named = {};
  struct stat held = {};
  const bool is_another =
      file.is_open() && ::fstat(file.get(), &held) == 0 &&
      ::fstatat(folder_.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      (named.st_ino != held.st_ino || named.st_dev != held.st_dev);
  if (!is_another) Remove(name);
}

}  // namespace gordian
