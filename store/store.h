// SPDX-License-Identifier: Apache-2.0
// Keeps what analyses made of recordings, so that the second opening is quick.
//
//   Store store = *Store::Open(*StoreOptionsFromEnvironment());
//   if (auto entry = store.Find(key); entry.ok()) {
//     auto edges = entry->Column<EdgeSum>("edges");  // mapped, and checked
//     if (edges.ok()) return Use(*edges, *std::move(entry));
//   }
//   auto writer = store.Begin(key, path);  // else: compute, and keep it for the next time
//   if (writer.ok()) {
//     writer->AddColumn<EdgeSum>("edges", computed);
//     status = writer->Commit();
//   }
//
// An entry is one file, never changed, in a folder that only its owner may write to. Whatever is
// wrong with it, it is as if it were not there: its result is computed again. So callers treat
// every failure of Find and of what it gave as "not kept", and every failure to keep something as a
// line for the user at most. docs/design-store.md gives the reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store_key.h"
#include "store/store_writer.h"
#include "store/stored_entry.h"
#include "trace/own_folder.h"

namespace gordian {

class StoreFolder;

struct StoreOptions {
  std::string folder;  // empty: nothing is kept
  // Of all files together. Default: a tenth of the disk, at most 32 GiB.
  std::optional<uint64_t> limit_bytes;
  // What others keep of the disk. Default: a twentieth of it, at most 1 GiB.
  std::optional<uint64_t> keep_free_bytes;
  int threads = 0;  // that check large sections; 0: as many as there are CPUs
  // Who only reads makes no folder; without one nothing is kept.
  IfAbsent if_absent = IfAbsent::kMake;
};

// $GORDIAN_STORE (empty: no store), else analyses/ in this user's folder of cached files
// (trace/own_folder.h); $GORDIAN_STORE_LIMIT. InvalidArgument tells which of them makes no sense.
absl::StatusOr<StoreOptions> StoreOptionsFromEnvironment();

// One entry, as `gordian store` lists it.
struct KeptAnalysis {
  std::string file;  // its name in the folder
  // Else it is damaged, or of another version: then key, path and time of storing are not known.
  bool is_readable = false;
  StoreKey key;
  std::string recording_path;  // absolute; any bytes
  uint64_t bytes = 0;
  int64_t stored_realtime_ns = 0;
  int64_t used_realtime_ns = 0;
};

// Thread-safe.
class Store {
 public:
  Store() = default;  // keeps nothing

  // Makes the folder, if need be and asked for, and removes what killed writers left there.
  // FailedPrecondition, in one line, if it is not this user's own, others may write to it, it is a
  // symbolic link, or it lies on another machine's disk.
  static absl::StatusOr<Store> Open(const StoreOptions& options);

  // NotFound if it is not kept. An entry that does not check is removed, and counted.
  absl::StatusOr<StoredEntry> Find(const StoreKey& key) const;

  // `expected_bytes` is checked against the limit and the disk at once. ResourceExhausted if they
  // do not allow it; FailedPrecondition if nothing is kept. `recording_path` is kept as an absolute
  // path, to be shown to people.
  absl::StatusOr<StoreWriter> Begin(const StoreKey& key, const std::string& recording_path,
                                    uint64_t expected_bytes = 0) const;

  // Those used last first.
  std::vector<KeptAnalysis> List() const;
  // Removes an entry, also one in use: its readers keep what they have. False if it was not there.
  bool Remove(const KeptAnalysis& analysis) const;

  bool keeps_something() const { return folder_ != nullptr; }
  std::string folder() const;
  uint64_t limit_bytes() const;
  // No entry is made if the disk would have less.
  uint64_t keep_free_bytes() const;
  // Found so far by this object and by the entries that it gave out. Worth a line
  // for the user.
  uint64_t damaged_entries() const;

 private:
  explicit Store(std::shared_ptr<StoreFolder> folder) : folder_(std::move(folder)) {}
  std::shared_ptr<StoreFolder> folder_;
};

// Without links and dots, also if it is not there.
std::string AbsolutePath(const std::string& path);

// Whether locks and mappings hold on a file system of this kind (statfs(2), f_type). On those of
// other machines another one may replace a file while it is mapped, which kills its reader.
bool IsLocalFileSystem(uint64_t kind);

}  // namespace gordian
