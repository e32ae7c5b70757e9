// SPDX-License-Identifier: Apache-2.0
// Results of reading programs' files, kept on disk from one recording to the next: one small file
// for each key, in a folder that only its owner may write to.
//
// Format of an entry's file: 8 bytes "GDCACHE1", the key's length and the unpacked content's (4
// bytes each), the key, the content as a zstd frame, and XXH64 of all that (8 bytes). Its name is a
// hash of the key. An entry of another format or key, or with a wrong hash, is none.
//
// Nothing in it is trusted. The folder and each file must be this user's own, and nobody else may
// write to them; symbolic links are not followed. Sizes and hashes are checked first. Who loads a
// content has to check it as if the file that it was made from had sent it.
//
// Several processes may use one folder: an entry is written aside and renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "trace/file_io.h"

namespace gordian {

struct DiskCacheLimits {
  uint64_t max_bytes = 256 << 20;       // of all files; those used longest ago go first
  uint32_t max_entry_bytes = 64 << 20;  // unpacked; a larger one is not kept
};

// Not thread-safe.
class DiskCache {
 public:
  DiskCache() = default;  // keeps nothing
  // Makes the folder, and those it is in, if need be.
  explicit DiskCache(const std::string& folder, DiskCacheLimits limits = {});

  // Why nothing is kept.
  const absl::Status& status() const { return status_; }

  std::optional<std::string> Load(std::string_view key);
  // Best effort: a full disk only means that it is read again.
  void Store(std::string_view key, std::string_view content);

 private:
  bool Write(const std::string& name, std::string_view bytes);
  // Deletes entries until there is room again.
  void MakeRoom();

  DiskCacheLimits limits_;
  FileHandle folder_;
  absl::Status status_ = absl::UnavailableError("no folder was given");
  uint64_t stored_bytes_ = 0;  // by this object, since it last looked at the whole folder
  bool looked_ = false;
};

// What an entry's file holds; nothing if it breaks the rules. For tests and fuzzers.
std::optional<std::string> UnpackCacheEntry(std::string_view bytes, std::string_view key,
                                            uint32_t max_entry_bytes);
std::optional<std::string> PackCacheEntry(std::string_view key, std::string_view content);

}  // namespace gordian
