#include "whatif/changed_score.h"

#include <algorithm>

#include "whatif/added_threads.h"
#include "whatif/false_wakeups_gone.h"
#include "whatif/moved_waits.h"

namespace gordian {
namespace {

// What somebody else has to spend on it for sure.
double CarriedShare(std::span<const Path> paths, uint32_t vertex) {
  const auto path = std::find_if(paths.begin(), paths.end(),
                                 [vertex](const Path& it) { return it.vertex == vertex; });
  return path == paths.end() ? 0
                             : std::clamp(std::min(path->run_share, path->least_share), 0.0, 1.0);
}

bool IsDisk(const Score& score, uint32_t vertex, std::span<const uint32_t> vertex_of_entity) {
  return std::any_of(score.disks.begin(), score.disks.end(), [&](const ScoreDisk& disk) {
    return vertex_of_entity[disk.entity] == vertex;
  });
}

}  // namespace

Score ChangedScore(const Score& score, const Changes& changes, std::span<const Path> paths,
                   UnseenHolds unseen_holds, std::span<const uint32_t> vertex_of_entity) {
  Score made = score;
  for (const uint32_t vertex : changes.no_false_wakeups)
    made = TakeOutFalseWakeups(made, vertex, vertex_of_entity).score;
  for (const LockSplit& split : changes.splits)
    made = SplitLock(made, split, unseen_holds, vertex_of_entity);
  for (const WaitChange& wait : changes.waits) {
    if (!wait.keeps_up || !IsDisk(score, wait.to, vertex_of_entity)) continue;
    made = MoveWaits(
        made, {.from = wait.from, .to = wait.to, .run_share = CarriedShare(paths, wait.from)},
        vertex_of_entity);
  }
  for (const AddedThreads& added : changes.added_threads)
    made = AddThreads(made, added, vertex_of_entity);
  return made;
}

Score UnchangedScore(const Score& score, const Changes& changes, UnseenHolds unseen_holds,
                     std::span<const uint32_t> vertex_of_entity) {
  Score made = score;
  for (LockSplit split : changes.splits) {
    split.ways = 1;
    split.grouped = false;
    made = SplitLock(made, split, unseen_holds, vertex_of_entity);
  }
  for (AddedThreads added : changes.added_threads) {
    added.count = 0;
    made = AddThreads(made, added, vertex_of_entity);
  }
  return made;
}

}  // namespace gordian
