// SPDX-License-Identifier: Apache-2.0
// The lives of tids: the thread that a tid meant at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/model.h"
#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/tid_index.h"
#include "schema/session.pb.h"

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

// Which states of living threads are true, of those that task records tell.
enum class ToldStates : uint8_t {
  kNone,            // imported traces have none; older flight recorders repeat what was told first
  kAtTheBeginning,  // by the first record of each thread
  // Of a recording whose beginning is not there: by later ones that tell a sleep. A thread of which
  // nothing else is heard has slept from the beginning on.
  kInIdentities
};

ToldStates ToldStatesOf(const pb::Session& session, bool identity_gave_way);

class Lives {
 public:
  // `tasks` in order of time; `tids` are all that were met elsewhere, in any order. States told in
  // task records count only before the first pause: later ones tell of no beginning.
  void Build(std::span<const TimedTask> tasks, std::vector<int32_t> tids, uint64_t start_ns,
             const Pauses& pauses, ToldStates told);

  // Instead of Build, for a recording that goes on: ids in order of appearance, and each task
  // record in order of time. `pauses` lives as long as this.
  void BeginGrowing(uint64_t start_ns, const Pauses& pauses, ToldStates told);
  // The latest life of a tid; another one if it has none.
  EntityId Meet(int32_t tid);
  // The life that the record tells of. A life that is told to have begun before settled_until_ns
  // begins then; that is counted in told_late().
  EntityId Take(const TimedTask& entry, uint64_t settled_until_ns);
  uint64_t told_late() const { return told_late_; }
  // The next id is no thread's.
  void SkipId() { lives_.emplace_back(); }

  // In order of tid, then birth (Build), or of appearance: their places are the threads' ids.
  const std::vector<Life>& lives() const { return lives_; }

  // Of a thread that was born during the recording; else, and where it is not known, kNobody.
  EntityId CreatorOf(const Life& life) const {
    return Find(life.born ? life.identity.parent_tid : 0, life.begin_ns);
  }

  // The thread that had the tid at that time; kNobody for the idle thread and for a tid never met.
  EntityId Find(int32_t tid, uint64_t time_ns) const {
    const uint32_t number = index_.Find(tid);
    if (number == TidIndex::kNone) return kNobody;
    const EntityId first = first_life_[number];
    return end_life_[number] - first == 1 ? first : FindAmong(number, time_ns);
  }
  // The number of a tid's lives, and their ids, in order of birth.
  size_t CountOf(int32_t tid) const;
  EntityId LifeOf(int32_t tid, size_t i) const;

 private:
  EntityId FindAmong(uint32_t number, uint64_t time_ns) const;
  EntityId AddLife(uint32_t number, Life life);

  uint64_t start_ns_ = 0;
  const Pauses* pauses_ = nullptr;
  ToldStates told_states_ = ToldStates::kNone;
  uint64_t told_late_ = 0;

  std::vector<Life> lives_;
  TidIndex index_;
  // By number in index_: a tid's lives are next to each other, or (growing) several that are not:
  // then the end is the first, and their ids are in scattered_.
  std::vector<EntityId> first_life_;
  std::vector<EntityId> end_life_;
  absl::flat_hash_map<uint32_t, std::vector<EntityId>> scattered_;
};

// Makes entities of lives: names, processes, parents. Their times are left at zero.
Entity ThreadEntity(const Life& life, const Lives& lives);
std::vector<Entity> ThreadEntities(const Lives& lives);

// Marks the threads of `targets`: of a process with all its descendants, of a name, of a group. If
// no thread and no process has a name, scripts count that are called so.
void MarkTargets(std::span<const pb::Target> targets, std::vector<Entity>& entities,
                 const Lives& lives);

// Of the targets that are a process or a name: those that are none of `entities`, as the user
// called them.
std::vector<std::string> NamesOfUnseen(std::span<const pb::Target> targets,
                                       std::span<const Entity> entities);

// For each target that is a group one more for each group below it, as `session` knows them: a
// pod's containers have groups of their own.
std::vector<pb::Target> WithGroupsBelow(std::vector<pb::Target> targets,
                                        const pb::Session& session);

// Marks the processes that came from the recorder and still run its program, as recorder. Comes
// after MarkTargets: a target never is.
void MarkRecordersHelpers(std::vector<Entity>& entities, const Lives& lives);

}  // namespace gordian
