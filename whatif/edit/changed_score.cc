// SPDX-License-Identifier: Apache-2.0
// Changes that need other steps than the recorded ones.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "whatif/edit/added_threads.h"
#include "whatif/edit/asked_workers.h"
#include "whatif/edit/collapsed_relays.h"
#include "whatif/edit/disk_jobs.h"
#include "whatif/edit/edit.h"
#include "whatif/edit/moved_waits.h"
#include "whatif/edit/own_back_ends.h"
#include "whatif/edit/split_lock.h"
#include "whatif/edit/waits_in_line.h"

namespace gordian {
namespace {

double ShareOf(const CarriedShares& carried, uint32_t vertex) {
  const auto share = carried.find(vertex);
  return share == carried.end() ? 0 : share->second;
}

bool IsDisk(const Score& score, uint32_t vertex, std::span<const uint32_t> vertex_of_entity) {
  return std::any_of(score.disks.begin(), score.disks.end(), [&](const ScoreDisk& disk) {
    return vertex_of_entity[disk.entity] == vertex;
  });
}

// A score is large: it is not copied for changes that leave it as it is.
class Edits {
 public:
  explicit Edits(const Score& score) : score_(score) {}
  const Score& now() const { return edited_ ? *edited_ : score_; }
  void Become(Score score) { edited_ = std::move(score); }
  std::optional<Score> Take() { return std::move(edited_); }

 private:
  const Score& score_;
  std::optional<Score> edited_;
};

}  // namespace

std::optional<Score> ChangedScore(const Score& score, const Changes& changes,
                                  const CarriedShares& carried,
                                  std::span<const uint32_t> vertex_of_entity) {
  Edits edits(score);
  for (const WaitChange& wait : changes.waits) {
    if (wait.keeps_one_in > 0) edits.Become(KeepOneIn(edits.now(), wait, vertex_of_entity));
  }
  if (std::optional<Score> without =
          TakeOutAskedWorkers(edits.now(), changes.waits, vertex_of_entity))
    edits.Become(*std::move(without));
  if (std::optional<Score> collapsed = CollapseRelays(edits.now(), changes.waits, vertex_of_entity))
    edits.Become(*std::move(collapsed));
  for (const uint32_t vertex : changes.no_false_wakeups)
    edits.Become(TakeOutFalseWakeups(edits.now(), vertex, vertex_of_entity).score);
  for (const LockSplit& split : changes.splits)
    edits.Become(SplitLock(edits.now(), split, vertex_of_entity));
  for (const WaitChange& wait : changes.waits) {
    if (!wait.keeps_up || !IsDisk(score, wait.to, vertex_of_entity)) continue;
    edits.Become(MoveWaits(edits.now(),
                           {.from = wait.from,
                            .to = wait.to,
                            .run_share = ShareOf(carried, wait.from),
                            .helpers = wait.helpers},
                           vertex_of_entity));
  }
  std::vector<AddedThreads> useful = changes.added_threads;
  for (AddedThreads& added : useful) {
    if (!MayStandInLine(score, added.vertex, vertex_of_entity)) added.count = 0;
  }
  for (const AddedThreads& added : WithOwnBackEnds(score, useful, vertex_of_entity))
    edits.Become(AddThreads(edits.now(), added, vertex_of_entity));
  return edits.Take();
}

bool ServeAllHelpers(const Changes& changes, std::span<const uint32_t> vertex_of_entity,
                     Score& score) {
  bool any = false;
  for (const WaitChange& wait : changes.waits) {
    for (ScoreDisk& disk : score.disks) {
      if (!wait.keeps_up || vertex_of_entity[disk.entity] != wait.to) continue;
      any |= disk.slots < wait.helpers;
      disk.slots = std::max(disk.slots, wait.helpers);
    }
  }
  return any;
}

bool ServeAllOfPools(Score& score) {
  size_t threads = 0;
  for (const Pool& pool : score.pools) threads = std::max(threads, pool.threads.size());
  bool any = false;
  for (ScoreDisk& disk : score.disks) {
    any |= disk.slots < threads;
    disk.slots = std::max(disk.slots, static_cast<uint32_t>(threads));
  }
  return any;
}

std::optional<Score> UnchangedScore(const Score& score, const Changes& changes,
                                    std::span<const uint32_t> vertex_of_entity) {
  Edits edits(score);
  for (LockSplit split : changes.splits) {
    split.ways = 1;
    split.grouped = false;
    edits.Become(SplitLock(edits.now(), split, vertex_of_entity));
  }
  for (AddedThreads added : WithOwnBackEnds(score, changes.added_threads, vertex_of_entity)) {
    added.count = 0;
    edits.Become(AddThreads(edits.now(), added, vertex_of_entity));
  }
  return edits.Take();
}

}  // namespace gordian
