// SPDX-License-Identifier: Apache-2.0
// Rank 0's way to units' results. Inner to the room.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/crew.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"
#include "store/store.h"

namespace gordian {

// A unit whose result was damaged when it was needed is made again so often. More often, the disk
// is at fault.
inline constexpr int kMostTries = 3;
// Of joining: each try may find what one kind of unit left damaged, and there are some ten kinds.
inline constexpr int kMostJoiningTries = 12;

inline absl::Status StatusOf(const pb::RankMade& made) {
  return {static_cast<absl::StatusCode>(made.code()), made.failure()};
}

// A damaged result is gone once somebody looked at it; so it is made again.
inline bool IsWorthAnotherTry(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsNotFound(status);
}

class UnitResults {
 public:
  // All must outlive it.
  UnitResults(Ranks& ranks, const WorkFolder& folder, Crew& crew)
      : ranks_(ranks), folder_(folder), crew_(crew) {}

  Crew& crew() { return crew_; }
  const WorkFolder& folder() const { return folder_; }
  Ranks& ranks() { return ranks_; }

  // Of that rank, to this machine.
  absl::Status Bring(int rank, const pb::RankKey& key) {
    if (FolderOf(rank) == folder_.identity()) return absl::OkStatus();
    return folder_.Bring(ranks_, rank, key);
  }

  const std::string& FolderOf(int rank) const {
    return crew_.hellos()[static_cast<size_t>(rank)].folder();
  }
  // Those that share its folder; empty: all do.
  std::vector<int> RanksBeside(int rank) const {
    std::vector<int> ranks;
    const auto& hellos = crew_.hellos();
    for (size_t i = 0; i < hellos.size(); ++i)
      if (hellos[i].folder() == FolderOf(rank)) ranks.push_back(static_cast<int>(i));
    return ranks.size() == hellos.size() ? std::vector<int>() : ranks;
  }

  // Calls use(entry) with what stands under `key_of(made)` for a unit that is done. Damage shows
  // only then: the unit is made again.
  template <typename KeyOf, typename Use>
  absl::Status UseResult(const DealtUnit& unit, MadeUnit done, KeyOf key_of, Use use) {
    absl::Status status = StatusOf(done.made);
    for (int tries = 0; status.ok(); ++tries) {
      status = Bring(done.rank, key_of(done.made));
      if (status.ok()) {
        auto entry = folder_.Find(key_of(done.made));
        status = entry.ok() ? use(*std::move(entry)) : entry.status();
      }
      if (!IsWorthAnotherTry(status) || tries == kMostTries) break;
      const auto again = crew_.Make({unit});
      if (!again.ok()) return again.status();
      done = again->front();
      status = StatusOf(done.made);
    }
    return status;
  }
  template <typename Use>
  absl::Status UseResult(const DealtUnit& unit, MadeUnit done, Use use) {
    return UseResult(
        unit, std::move(done), [](const pb::RankMade& made) { return made.result(); },
        std::move(use));
  }

 private:
  Ranks& ranks_;
  const WorkFolder& folder_;
  Crew& crew_;
};

}  // namespace gordian
