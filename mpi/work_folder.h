// SPDX-License-Identifier: Apache-2.0
// Where a rank's units lie: results that are there, whole, are not made again.
//
// It is a store (store/store.h): each result is one file, written aside and renamed, with a hash
// over each two megabytes. So a killed rank leaves whole results or none, and a damaged one is as
// if it were not there. Ranks of one machine share a folder. What lies on another machine is
// brought here, a part at a time.
//
// The results of several small nodes are members of one file: a file of its own for each would cost
// more than what is in it. A key names the file, and the member.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/ranks.h"
#include "schema/ranks.pb.h"
#include "store/store.h"

namespace gordian {

class WorkFolder {
 public:
  // Makes it, if need be. FailedPrecondition, in one line, as Store::Open.
  static absl::StatusOr<WorkFolder> Open(const std::string& folder, int threads);

  // The same for two ranks if they share the folder.
  const std::string& identity() const { return identity_; }
  std::string path() const { return store_.folder(); }

  // NotFound, also if it was damaged.
  absl::StatusOr<StoredEntry> Find(const pb::RankKey& key) const;
  absl::StatusOr<StoreWriter> Begin(const pb::RankKey& key, const std::string& path,
                                    uint64_t expected_bytes = 0) const;

  // To what another rank fetches (a serialized pb::RankFetch): a serialized pb::RankPart.
  std::string Answer(const std::string& fetch) const;
  // Copies a result's file from that rank's folder, if it is not here already.
  absl::Status Bring(Ranks& ranks, int from, const pb::RankKey& key) const;

 private:
  WorkFolder(Store store, std::string identity)
      : store_(std::move(store)), identity_(std::move(identity)) {}

  Store store_;
  std::string identity_;
};

// Finds results one behind the other, and opens a file with many of them once.
class ResultsInARow {
 public:
  explicit ResultsInARow(const WorkFolder& folder) : folder_(folder) {}  // it must outlive this
  absl::StatusOr<StoredEntry> Find(const pb::RankKey& key);

 private:
  const WorkFolder& folder_;
  std::string latest_;  // key of …
  std::optional<StoredEntry> file_;
};

// Of all its members, and back.
pb::RankKey FileOf(pb::RankKey key);
pb::RankKey MemberOf(pb::RankKey file, uint32_t member);

}  // namespace gordian
