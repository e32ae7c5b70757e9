// SPDX-License-Identifier: Apache-2.0
// The store's folder: which files are in it, which of them go, and when.
//
// Locks (flock) tell which files are in use. A reader holds its entry's file shared, a writer holds
// its own aside, exclusively. A file whose lock can be taken exclusively has neither, also if they
// were killed. Nobody waits for a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trace/file_io.h"

namespace gordian {

struct StoreFile {
  std::string name;
  uint64_t bytes = 0;
  int64_t used_realtime_ns = 0;  // its time of modification: set when it is written or found
  bool is_entry = false;         // else a writer's, not finished
};

struct StoreLimits {
  uint64_t max_bytes = 0;        // of all files together
  uint64_t keep_free_bytes = 0;  // of the disk
};

// Thread-safe.
class StoreFolder {
 public:
  StoreFolder(FileHandle folder, std::string path, StoreLimits limits, int threads)
      : folder_(std::move(folder)), path_(std::move(path)), limits_(limits), threads_(threads) {}

  const std::string& path() const { return path_; }
  const StoreLimits& limits() const { return limits_; }
  int threads() const { return threads_; }
  uint64_t damaged_entries() const { return damaged_entries_; }

  // Files of other names than ours are left alone.
  std::vector<StoreFile> Files() const;

  // Opens the file and holds it as a reader. NotFound if there is none, or it is just going;
  // DataLoss if it is not this user's own regular file.
  absl::StatusOr<FileHandle> OpenEntry(const std::string& name) const;
  // Sets the time of last use to now.
  static void Touch(const FileHandle& file);

  // A new file, held as its writer's; `name` becomes its name.
  absl::StatusOr<FileHandle> CreateAside(std::string& name) const;
  absl::Status Rename(const std::string& aside, const std::string& entry) const;
  // False if it was not there.
  bool Remove(const std::string& name) const;
  // Ends the hold of CreateAside.
  static void Unlock(const FileHandle& file);

  // Removes what killed writers left.
  void Sweep() const;
  // Makes room for `bytes` more: entries that nobody uses go, those used longest ago first.
  // ResourceExhausted if that does not do; nothing goes if it cannot do.
  //
  // That looks at every file. So one look grants a share of the room that is left, and until that
  // is used up there is no other: many small entries do not cost a look each. The share is so small
  // that as many writers as there are shares, none of which sees what the others wrote meanwhile,
  // keep within the limit.
  absl::Status MakeRoom(uint64_t bytes);
  // Room that the last look granted. False if that is used up.
  bool TakeGranted(uint64_t bytes);
  // Room that was made and is not needed.
  void GiveBack(uint64_t bytes);
  // Counts the entry, and removes it unless a newer one has its name. `file` may be closed.
  void RemoveDamaged(const std::string& name, const FileHandle& file);

 private:
  // False if it is in use.
  bool RemoveUnused(const std::string& name) const;
  absl::Status OverLimit() const;
  void Grant(uint64_t left_bytes);

  FileHandle folder_;
  const std::string path_;
  const StoreLimits limits_;
  const int threads_;
  std::atomic<uint64_t> damaged_entries_ = 0;
  // Names of files aside: from a number by chance on, as another machine's process may have the
  // same pid. Chance anew for each would take longer than to make the file.
  mutable std::atomic<uint32_t> next_aside_ = std::random_device()();
  std::mutex mutex_;            // guards what follows
  uint64_t granted_bytes_ = 0;  // by the last look
  uint64_t left_bytes_ = 0;     // of these
};

}  // namespace gordian
