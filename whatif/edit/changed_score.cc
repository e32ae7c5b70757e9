// SPDX-License-Identifier: Apache-2.0
// Changes that need other steps than the recorded ones.
#include <algorithm>

#include "whatif/edit/added_threads.h"
#include "whatif/edit/edit.h"
#include "whatif/edit/moved_waits.h"
#include "whatif/edit/split_lock.h"

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

}  // namespace

Score ChangedScore(const Score& score, const Changes& changes, const CarriedShares& carried,
                   std::span<const uint32_t> vertex_of_entity) {
  Score made = score;
  for (const uint32_t vertex : changes.no_false_wakeups)
    made = TakeOutFalseWakeups(made, vertex, vertex_of_entity).score;
  for (const LockSplit& split : changes.splits) made = SplitLock(made, split, vertex_of_entity);
  for (const WaitChange& wait : changes.waits) {
    if (!wait.keeps_up || !IsDisk(score, wait.to, vertex_of_entity)) continue;
    made = MoveWaits(made,
                     {.from = wait.from, .to = wait.to, .run_share = ShareOf(carried, wait.from)},
                     vertex_of_entity);
  }
  for (const AddedThreads& added : changes.added_threads)
    made = AddThreads(made, added, vertex_of_entity);
  return made;
}

Score UnchangedScore(const Score& score, const Changes& changes,
                     std::span<const uint32_t> vertex_of_entity) {
  Score made = score;
  for (LockSplit split : changes.splits) {
    split.ways = 1;
    split.grouped = false;
    made = SplitLock(made, split, vertex_of_entity);
  }
  for (AddedThreads added : changes.added_threads) {
    added.count = 0;
    made = AddThreads(made, added, vertex_of_entity);
  }
  return made;
}

}  // namespace gordian
