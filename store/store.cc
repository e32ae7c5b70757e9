// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "store/entry_format.h"
#include "store/store_folder.h"
#include "store/store_writer_impl.h"
#include "store/stored_entry_impl.h"
#include "trace/own_folder.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

constexpr char kFolderVariable[] = "GORDIAN_STORE";
constexpr char kLimitVariable[] = "GORDIAN_STORE_LIMIT";

// Without a limit the store would fill the disk in some hundred openings of large recordings. A
// tenth of the disk is what people give away without asking; 32 GiB hold two billion events.
constexpr uint64_t kOneOfDisk = 10;
constexpr uint64_t kMostByDefaultBytes = uint64_t{32} << 30;
// Others shall be able to write what they write in minutes, and what is kept can be computed again.
// A twentieth of a large disk would be more than whole analyses need: they were refused with 12 GB
// free.
constexpr uint64_t kKeepFreeOneOf = 20;
constexpr uint64_t kMostKeptFreeBytes = uint64_t{1} << 30;
// Sums of sizes stay far from 2⁶⁴.
constexpr uint64_t kMostBytes = uint64_t{1} << 60;

// linux/magic.h does not have these.
constexpr uint64_t kCifs = 0xff534d42;
constexpr uint64_t kSmb2 = 0xfe534d42;
constexpr uint64_t kLustre = 0x0bd00bd0;
constexpr uint64_t kGpfs = 0x47504653;
constexpr uint64_t kBeeGfs = 0x19830326;
constexpr uint64_t kVmwareShared = 0xbacbacbc;
constexpr uint64_t kFuse = 0x65735546;

absl::Status StoreRefused(const std::string& folder, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the store of analyses ", folder, " is not used: ", why, "; ", kFolderVariable,
                   " names another folder, or none if it is empty"));
}

absl::Status NotKept() { return absl::NotFoundError("this analysis is not kept"); }

StoreLimits LimitsOf(const StoreOptions& options, const struct statfs& disk) {
  const auto disk_bytes =
      static_cast<uint64_t>(disk.f_blocks) * static_cast<uint64_t>(disk.f_bsize);
  const uint64_t by_default = std::min(disk_bytes / kOneOfDisk, kMostByDefaultBytes);
  const uint64_t free_by_default = std::min(disk_bytes / kKeepFreeOneOf, kMostKeptFreeBytes);
  return {
      .max_bytes = std::min(options.limit_bytes.value_or(by_default), kMostBytes),
      .keep_free_bytes = std::min(options.keep_free_bytes.value_or(free_by_default), kMostBytes)};
}

}  // namespace

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  if (error || whole.is_relative())
    whole = std::filesystem::absolute(path, error).lexically_normal();
  const std::string text = whole.string();
  // "run1/" is no other folder than "run1".
  return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

bool IsLocalFileSystem(uint64_t kind) {
  constexpr std::array<uint64_t, 14> kRemote = {NFS_SUPER_MAGIC,
                                                SMB_SUPER_MAGIC,
                                                CODA_SUPER_MAGIC,
                                                AFS_SUPER_MAGIC,
                                                AFS_FS_MAGIC,
                                                V9FS_MAGIC,
                                                CEPH_SUPER_MAGIC,
                                                kCifs,
                                                kSmb2,
                                                kLustre,
                                                kGpfs,
                                                kBeeGfs,
                                                kVmwareShared,
                                                kFuse};
  return std::find(kRemote.begin(), kRemote.end(), kind) == kRemote.end();
}

absl::StatusOr<StoreOptions> StoreOptionsFromEnvironment() {
  StoreOptions options;
  const char* const given = ::secure_getenv(kFolderVariable);
  if (given == nullptr) {
    const std::string caches = CacheFolder();
    if (!caches.empty()) options.folder = caches + "/analyses";
  } else if (*given != '\0') {
    options.folder = PathFromEnvironment(kFolderVariable);
    if (options.folder.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(kFolderVariable, "='", given, "' is no absolute path"));
  }
  if (const char* const limit = ::secure_getenv(kLimitVariable); limit != nullptr) {
    const absl::StatusOr<uint64_t> bytes = ParseSize(limit);
    if (!bytes.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(kLimitVariable, ": ", bytes.status().message()));
    options.limit_bytes = *bytes;
  }
  return options;
}

absl::StatusOr<Store> Store::Open(const StoreOptions& options) {
  if (options.folder.empty()) return Store();
  absl::StatusOr<FileHandle> folder = OpenOwnFolder(options.folder, options.if_absent);
  if (absl::IsNotFound(folder.status())) return Store();
  if (!folder.ok()) return StoreRefused(options.folder, std::string(folder.status().message()));
  struct statfs disk = {};
  if (::fstatfs(folder->get(), &disk) != 0 ||
      !IsLocalFileSystem(static_cast<uint64_t>(disk.f_type)))
    return StoreRefused(options.folder, "its file system may belong to another machine");
  Store store(std::make_shared<StoreFolder>(*std::move(folder), options.folder,
                                            LimitsOf(options, disk), ThreadCount(options.threads)));
  store.folder_->Sweep();
  return store;
}

absl::StatusOr<StoredEntry> Store::Find(const StoreKey& key) const {
  if (folder_ == nullptr) return NotKept();
  const std::string name = EntryFileName(key);
  absl::StatusOr<FileHandle> file = folder_->OpenEntry(name);
  if (absl::IsNotFound(file.status())) return NotKept();
  if (!file.ok()) {
    folder_->RemoveDamaged(name, FileHandle());
    return NotKept();
  }
  absl::StatusOr<EntryTable> table = ReadEntryTable(*file);
  if (!table.ok() || table->key != key) {
    folder_->RemoveDamaged(name, *file);
    return NotKept();
  }
  StoreFolder::Touch(*file);
  return StoredEntry(
      std::make_unique<StoredEntry::Impl>(folder_, name, *std::move(file), *std::move(table)));
}

absl::StatusOr<StoreWriter> Store::Begin(const StoreKey& key, const std::string& recording_path,
                                         uint64_t expected_bytes) const {
  if (folder_ == nullptr) return absl::FailedPreconditionError("no analyses are kept");
  auto impl = StoreWriter::Impl::Begin(folder_, key, AbsolutePath(recording_path), expected_bytes);
  if (!impl.ok()) return impl.status();
  return StoreWriter(*std::move(impl));
}

std::vector<KeptAnalysis> Store::List() const {
  std::vector<KeptAnalysis> analyses;
  if (folder_ == nullptr) return analyses;
  for (const StoreFile& file : folder_->Files()) {
    if (!file.is_entry) continue;
    KeptAnalysis& analysis = analyses.emplace_back();
    analysis.file = file.name;
    analysis.bytes = file.bytes;
    analysis.used_realtime_ns = file.used_realtime_ns;
    const absl::StatusOr<FileHandle> opened = folder_->OpenEntry(file.name);
    if (!opened.ok()) continue;
    absl::StatusOr<EntryTable> table = ReadEntryTable(*opened);
    if (!table.ok()) continue;
    analysis.is_readable = true;
    analysis.key = std::move(table->key);
    analysis.recording_path = std::move(table->recording_path);
    analysis.stored_realtime_ns = table->stored_realtime_ns;
  }
  std::sort(analyses.begin(), analyses.end(), [](const KeptAnalysis& a, const KeptAnalysis& b) {
    return a.used_realtime_ns > b.used_realtime_ns;
  });
  return analyses;
}

bool Store::Remove(const KeptAnalysis& analysis) const {
  return folder_ != nullptr && folder_->Remove(analysis.file);
}

std::string Store::folder() const { return folder_ == nullptr ? "" : folder_->path(); }

uint64_t Store::limit_bytes() const { return folder_ == nullptr ? 0 : folder_->limits().max_bytes; }

uint64_t Store::keep_free_bytes() const {
  return folder_ == nullptr ? 0 : folder_->limits().keep_free_bytes;
}

uint64_t Store::damaged_entries() const {
  return folder_ == nullptr ? 0 : folder_->damaged_entries();
}

}  // namespace gordian
