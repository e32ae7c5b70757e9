// SPDX-License-Identifier: Apache-2.0
#include "cluster/file_receiver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr size_t kReadBytes = 1 << 20;

absl::Status Failed(const char* what, const std::string& path) {
  const std::string message = absl::StrCat("cannot ", what, " ", path, ": ", std::strerror(errno));
  return errno == ENOSPC ? absl::ResourceExhaustedError(message) : absl::UnavailableError(message);
}

std::string PartPath(const std::string& directory, const std::string& name) {
  return absl::StrCat(directory, "/.", name, ".part");  // no file of a session begins with a dot
}

timespec Modified(const pb::SessionFile& file) {
  return {.tv_sec = file.modified_realtime_ns() / 1'000'000'000,
          .tv_nsec = file.modified_realtime_ns() % 1'000'000'000};
}

}  // namespace

struct FileReceiver::Hash {
  Hash() : state(XXH3_createState()) { XXH3_128bits_reset(state); }
  ~Hash() { XXH3_freeState(state); }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  XXH3_state_t* const state;
};

FileReceiver::FileReceiver(const std::string& directory, const pb::SessionFile& wanted,
                           FileDescriptor file)
    : part_path_(PartPath(directory, wanted.name())),
      path_(absl::StrCat(directory, "/", wanted.name())),
      wanted_(wanted),
      file_(std::move(file)),
      hash_(std::make_unique<Hash>()) {}

FileReceiver::FileReceiver(FileReceiver&&) noexcept = default;
FileReceiver::~FileReceiver() = default;

bool FileReceiver::IsThere(const std::string& directory, const pb::SessionFile& wanted) {
  struct stat status = {};
  const std::string path = absl::StrCat(directory, "/", wanted.name());
  const timespec modified = Modified(wanted);
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<uint64_t>(status.st_size) == wanted.size_bytes() &&
         status.st_mtim.tv_sec == modified.tv_sec && status.st_mtim.tv_nsec == modified.tv_nsec;
}

uint64_t FileReceiver::PartialBytes(const std::string& directory, const pb::SessionFile& wanted) {
  struct stat status = {};
  if (lstat(PartPath(directory, wanted.name()).c_str(), &status) != 0) return 0;
  return std::min<uint64_t>(static_cast<uint64_t>(status.st_size), wanted.size_bytes());
}

absl::StatusOr<FileReceiver> FileReceiver::Open(const std::string& directory,
                                                const pb::SessionFile& wanted) {
  const std::string path = PartPath(directory, wanted.name());
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!file.valid()) return Failed("write", path);
  FileReceiver receiver(directory, wanted, std::move(file));
  if (absl::Status status = receiver.HashWhatIsThere(); !status.ok()) return status;
  return receiver;
}

absl::Status FileReceiver::HashWhatIsThere() {
  struct stat status = {};
  if (fstat(file_.number(), &status) != 0) return Failed("read", part_path_);
  // Longer than the file is, it cannot be a part of it.
  const bool fits = static_cast<uint64_t>(status.st_size) <= wanted_.size_bytes();
  if (!fits && ftruncate(file_.number(), 0) != 0) return Failed("write", part_path_);
  std::vector<char> buffer(fits && status.st_size > 0 ? kReadBytes : 0);
  while (!buffer.empty()) {
    const ssize_t size = read(file_.number(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Failed("read", part_path_);
    if (size == 0) break;
    XXH3_128bits_update(hash_->state, buffer.data(), static_cast<size_t>(size));
    received_bytes_ += static_cast<uint64_t>(size);
  }
  return absl::OkStatus();
}

absl::Status FileReceiver::Append(std::string_view data) {
  // A node that sends more than it said could fill the disk that was checked before.
  if (data.size() > wanted_.size_bytes() - received_bytes_) {
    return absl::DataLossError(absl::StrCat(wanted_.name(), " is longer than the node said"));
  }
  XXH3_128bits_update(hash_->state, data.data(), data.size());
  while (!data.empty()) {
    const ssize_t size = write(file_.number(), data.data(), data.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Failed("write", part_path_);
    received_bytes_ += static_cast<uint64_t>(size);
    data.remove_prefix(static_cast<size_t>(size));
  }
  return absl::OkStatus();
}

absl::Status FileReceiver::Place(std::string_view xxh3_128) {
  XXH128_canonical_t canonical = {};
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hash_->state));
  const std::string_view here(reinterpret_cast<const char*>(canonical.digest),
                              sizeof(canonical.digest));
  if (here != xxh3_128 || received_bytes_ != wanted_.size_bytes()) {
    unlink(part_path_.c_str());
    return absl::DataLossError(
        absl::StrCat(wanted_.name(), " did not arrive as it left the node; it was not kept"));
  }
  const timespec times[2] = {Modified(wanted_), Modified(wanted_)};
  if (futimens(file_.number(), times) != 0 || std::rename(part_path_.c_str(), path_.c_str()) != 0) {
    return Failed("make", path_);
  }
  return absl::OkStatus();
}

}  // namespace gordian
