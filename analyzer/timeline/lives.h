// SPDX-License-Identifier: Apache-2.0
// The lives of tids: the thread that a tid meant at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/tid_index.h"

namespace gordian {

// One life of a tid, as its task records tell it.
struct Life {
  int32_t tid = 0;
  bool known = false;  // some record names it
  bool born = false;   // its birth was recorded
  bool ran_exec = false;
  bool state_told = false;
  TaskRecord identity;    // the latest; parent_tid is the creator if `born`
  uint64_t begin_ns = 0;  // 0: alive when the recording began, or not known
  uint64_t exit_ns = 0;   // 0: its exit was not recorded
  uint64_t told_ns = 0;   // when `told_state` was true
  uint32_t told_state = 0;
  std::optional<uint64_t> told_switches;
};

class Lives {
 public:
  // `tasks` in order of time; `tids` are all that were met elsewhere, in any order. States told in
  // task records count only if `states_are_true` (imported traces have no states), and before the
  // first pause: later ones tell of no beginning.
  void Build(std::span<const TimedTask> tasks, std::vector<int32_t> tids, uint64_t start_ns,
             const Pauses& pauses, bool states_are_true);

  // In order of tid, then birth: their places are the threads' ids.
  const std::vector<Life>& lives() const { return lives_; }

  // The thread that had the tid at that time; kNobody for the idle thread and for a tid never met.
  EntityId Find(int32_t tid, uint64_t time_ns) const {
    const uint32_t number = index_.Find(tid);
    if (number == TidIndex::kNone) return kNobody;
    const EntityId first = first_life_[number];
    return end_life_[number] - first == 1 ? first : FindAmong(first, end_life_[number], time_ns);
  }
  // All lives of a tid.
  std::span<const Life> LivesOf(int32_t tid) const;
  EntityId FirstLifeOf(int32_t tid) const;

 private:
  EntityId FindAmong(EntityId first, EntityId end, uint64_t time_ns) const;
  void TakeTask(const TimedTask& entry, uint64_t start_ns, const Pauses& pauses,
                bool states_are_true, std::vector<std::vector<Life>>& lives_of);

  std::vector<Life> lives_;
  TidIndex index_;
  std::vector<EntityId> first_life_;  // by number in index_
  std::vector<EntityId> end_life_;
};

// Makes entities of lives: names, processes, parents. Their times are left at zero.
std::vector<Entity> ThreadEntities(const Lives& lives);

// Marks the threads of `targets`: of a process with all its descendants, of a name, of a group.
void MarkTargets(std::span<const pb::Target> targets, std::vector<Entity>& entities,
                 const Lives& lives);

// For each target that is a group one more for each group below it, as `session` knows them: a
// pod's containers have groups of their own.
std::vector<pb::Target> WithGroupsBelow(std::vector<pb::Target> targets,
                                        const pb::Session& session);

// Marks the processes that came from the recorder and still run its program, as recorder. Comes
// after MarkTargets: a target never is.
void MarkRecordersHelpers(std::vector<Entity>& entities, const Lives& lives);

}  // namespace gordian
