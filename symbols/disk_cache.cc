// SPDX-License-Identifier: Apache-2.0
#include "symbols/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "trace/frame.h"
#include "trace/own_folder.h"

namespace gordian {
namespace {

constexpr std::string_view kMagic = "GDCACHE1";
constexpr std::string_view kAside = "new-";
constexpr size_t kHeaderBytes = kMagic.size() + 2 * sizeof(uint32_t);
constexpr size_t kHashBytes = sizeof(uint64_t);
constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kNameBytes = 32;
constexpr time_t kTouchedEverySeconds = 3600;
// A writer that was killed leaves its file; none takes that long.
constexpr time_t kAsideForSeconds = 3600;
// When the folder is looked at: with the first entry, and each time an eighth is new. Then a tenth
// is made free.
constexpr uint64_t kLookEvery = 8;
constexpr uint64_t kFreeAtOnce = 10;

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string NameOf(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

absl::Status Refused(const std::string& folder, const absl::Status& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the cache ", folder, " is not used: ", why.message(),
                   "; make it a folder of the recorder's user to which no other may write"));
}

// The whole file, if it may be believed.
std::optional<std::string> ReadOwn(int file, uint64_t max_bytes, struct stat& status) {
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !IsOwn(status)) return {};
  if (status.st_size < 0 || static_cast<uint64_t>(status.st_size) > max_bytes) return {};
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    done += static_cast<size_t>(got);
  }
  return bytes;
}

struct CacheFile {
  std::string name;
  uint64_t size_bytes;
  time_t used;

  bool operator<(const CacheFile& other) const { return used < other.used; }
};

// Leftovers of killed writers are deleted; other files than ours are left alone.
std::vector<CacheFile> ListEntries(int folder) {
  std::vector<CacheFile> entries;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const opened = copy < 0 ? nullptr : ::fdopendir(copy);
  if (opened == nullptr) {
    if (copy >= 0) ::close(copy);
    return entries;
  }
  const time_t now = ::time(nullptr);
  for (const dirent* entry = ::readdir(opened); entry != nullptr; entry = ::readdir(opened)) {
    const std::string_view name = entry->d_name;
    const bool aside = name.starts_with(kAside);
    struct stat status = {};
    if (!aside &&
        (name.size() != kNameBytes || name.find_first_not_of("0123456789abcdef") != name.npos))
      continue;
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (aside) {
      if (now - status.st_mtime > kAsideForSeconds) ::unlinkat(folder, entry->d_name, 0);
      continue;
    }
    entries.push_back({std::string(name), static_cast<uint64_t>(status.st_size), status.st_mtime});
  }
  ::closedir(opened);
  return entries;
}

}  // namespace

std::optional<std::string> PackCacheEntry(std::string_view key, std::string_view content) {
  if (key.size() > kMaxKeyBytes || content.size() > UINT32_MAX) return {};
  std::string bytes(kMagic);
  for (const size_t size : {key.size(), content.size()}) {
    const auto told = static_cast<uint32_t>(size);
    bytes.append(reinterpret_cast<const char*>(&told), sizeof(told));
  }
  bytes.append(key);
  std::vector<uint8_t> frame;
  if (!FrameCompressor().Compress(Bytes(content), frame).ok()) return {};
  bytes.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  const uint64_t hash = XXH64(bytes.data(), bytes.size(), 0);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
  return bytes;
}

std::optional<std::string> UnpackCacheEntry(std::string_view bytes, std::string_view key,
                                            uint32_t max_entry_bytes) {
  if (bytes.size() < kHeaderBytes + kHashBytes || !bytes.starts_with(kMagic)) return {};
  uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + bytes.size() - kHashBytes, sizeof(hash));
  bytes.remove_suffix(kHashBytes);
  if (XXH64(bytes.data(), bytes.size(), 0) != hash) return {};
  uint32_t key_bytes = 0;
  uint32_t content_bytes = 0;
  std::memcpy(&key_bytes, bytes.data() + kMagic.size(), sizeof(key_bytes));
  std::memcpy(&content_bytes, bytes.data() + kMagic.size() + sizeof(key_bytes),
              sizeof(content_bytes));
  bytes.remove_prefix(kHeaderBytes);
  if (key_bytes > bytes.size() || bytes.substr(0, key_bytes) != key) return {};
  if (content_bytes > max_entry_bytes) return {};
  FrameDecompressor decompressor;
  const auto content = decompressor.Decompress(Bytes(bytes.substr(key_bytes)), content_bytes);
  if (!content.ok()) return {};
  return std::string(reinterpret_cast<const char*>(content->data()), content->size());
}

DiskCache::DiskCache(const std::string& folder, DiskCacheLimits limits) : limits_(limits) {
  if (folder.empty()) return;
  absl::StatusOr<FileHandle> opened = OpenOwnFolder(folder);
  status_ = opened.ok() ? absl::OkStatus() : Refused(folder, opened.status());
  if (opened.ok()) folder_ = *std::move(opened);
}

std::optional<std::string> DiskCache::Load(std::string_view key) {
  if (!folder_.is_open()) return {};
  const std::string name = NameOf(key);
  const FileHandle file(::openat(folder_.get(), name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return {};
  struct stat status = {};
  const uint64_t max_bytes = uint64_t{limits_.max_entry_bytes} * 2 + kMaxKeyBytes + 1024;
  const std::optional<std::string> bytes = ReadOwn(file.get(), max_bytes, status);
  std::optional<std::string> content =
      bytes ? UnpackCacheEntry(*bytes, key, limits_.max_entry_bytes) : std::nullopt;
  if (content && ::time(nullptr) - status.st_mtime > kTouchedEverySeconds)
    ::futimens(file.get(), nullptr);
  return content;
}

void DiskCache::Store(std::string_view key, std::string_view content) {
  if (!folder_.is_open() || content.size() > limits_.max_entry_bytes) return;
  const std::optional<std::string> bytes = PackCacheEntry(key, content);
  if (!bytes || bytes->size() > limits_.max_bytes || !Write(NameOf(key), *bytes)) return;
  stored_bytes_ += bytes->size();
  if (!looked_ || stored_bytes_ > limits_.max_bytes / kLookEvery) MakeRoom();
}

bool DiskCache::Write(const std::string& name, std::string_view bytes) {
  std::random_device random;
  const std::string aside = absl::StrFormat("%s%d-%08x", kAside, ::getpid(), random());
  const FileHandle file(::openat(folder_.get(), aside.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return false;
  if (WriteAll(file, Bytes(bytes), aside).ok() &&
      ::renameat(folder_.get(), aside.c_str(), folder_.get(), name.c_str()) == 0)
    return true;
  ::unlinkat(folder_.get(), aside.c_str(), 0);
  return false;
}

void DiskCache::MakeRoom() {
  looked_ = true;
  stored_bytes_ = 0;
  std::vector<CacheFile> entries = ListEntries(folder_.get());
  uint64_t bytes = 0;
  for (const CacheFile& entry : entries) bytes += entry.size_bytes;
  if (bytes <= limits_.max_bytes) return;
  std::sort(entries.begin(), entries.end());
  for (const CacheFile& entry : entries) {
    if (bytes <= limits_.max_bytes - limits_.max_bytes / kFreeAtOnce) break;
    if (::unlinkat(folder_.get(), entry.name.c_str(), 0) == 0 || errno == ENOENT)
      bytes -= entry.size_bytes;
  }
}

}  // namespace gordian
