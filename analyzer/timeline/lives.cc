// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/lives.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// A birth begins another life, unless it is the birth of the life already known (a list of living
// threads may have told of it first). So does a later start time. An earlier one does not: a thread
// that calls exec takes over the start time of its process, and its own tid's exit is told with it.
bool BeginsAnotherLife(const Life& current, const TaskRecord& task) {
  if (!current.known) return false;
  const uint64_t start_ns = current.identity.start_time_ns;
  if (task.start_time_ns != 0 && start_ns != 0) return task.start_time_ns > start_ns;
  return task.change == TaskChange::kNew;
}

void TakeIdentity(const TaskRecord& task, Life& life) {
  const int32_t creator = life.identity.parent_tid;
  const uint64_t start_ns = life.identity.start_time_ns;
  const bool keep_start = task.start_time_ns == 0 || (life.known && start_ns != 0);
  life.identity = task;
  if (life.born && task.change != TaskChange::kNew) life.identity.parent_tid = creator;
  if (keep_start) life.identity.start_time_ns = start_ns;
}

bool TellsState(const TimedTask& entry, uint64_t start_ns, ToldStates told) {
  if (entry.task.change != TaskChange::kAlive) return false;
  if (told == ToldStates::kAtTheBeginning) return true;
  // Older than what is there: the thread may have been woken in between.
  return told == ToldStates::kInIdentities && entry.task.state != kStateRunning &&
         entry.time_ns >= start_ns;
}

// `lives` are those of its tid so far.
void TakeTask(const TimedTask& entry, uint64_t start_ns, const Pauses& pauses, ToldStates told,
              std::vector<Life>& lives) {
  const TaskRecord& task = entry.task;
  const uint64_t kernels_start_ns = pauses.RecordedTime(task.start_time_ns);
  if (lives.empty()) {
    lives.push_back({.tid = task.tid});
  } else if (BeginsAnotherLife(lives.back(), task)) {
    // Its birth, or the time the kernel started it at, which lies within the recording. Nobody is
    // told of before being born: a start that lies behind its own record is none (and behind it
    // there may be pauses that a recording that grows does not know yet).
    const uint64_t earliest_ns = std::max(lives.back().exit_ns, lives.back().begin_ns + 1);
    const uint64_t born_ns =
        task.change == TaskChange::kNew ? entry.time_ns : std::min(kernels_start_ns, entry.time_ns);
    lives.push_back({.tid = task.tid, .begin_ns = std::max(born_ns, earliest_ns)});
  } else if (lives.back().exit_ns != 0 && task.change == TaskChange::kAlive) {
    return;  // a list of living threads that was a little late
  }
  Life& life = lives.back();
  TakeIdentity(task, life);
  life.known = true;
  life.ran_exec |= task.change == TaskChange::kExec;
  if (task.change == TaskChange::kNew) {
    life.born = true;
    life.begin_ns = std::max(life.begin_ns, entry.time_ns);
  } else if (task.change == TaskChange::kExit) {
    life.exit_ns = entry.time_ns;
  } else if (!life.state_told && TellsState(entry, start_ns, told) &&
             pauses.LastResume(entry.time_ns) == 0) {
    life.state_told = true;
    life.told_ns = entry.time_ns;
    life.told_state = task.state;
    life.told_switches = task.switches;
  }
  if (!life.born && life.begin_ns == 0 && kernels_start_ns > start_ns) {
    life.begin_ns = std::min(kernels_start_ns, entry.time_ns);
  }
}

}  // namespace

void Lives::Build(std::span<const TimedTask> tasks, std::vector<int32_t> tids, uint64_t start_ns,
                  const Pauses& pauses, ToldStates told) {
  for (const TimedTask& entry : tasks) tids.push_back(entry.task.tid);
  std::sort(tids.begin(), tids.end());
  tids.erase(std::unique(tids.begin(), tids.end()), tids.end());
  for (const int32_t tid : tids) {
    if (tid != 0) index_.Intern(tid);
  }
  std::vector<std::vector<Life>> lives_of(index_.tids().size());
  for (const TimedTask& entry : tasks) {
    if (entry.task.tid == 0) continue;
    TakeTask(entry, start_ns, pauses, told, lives_of[index_.Find(entry.task.tid)]);
  }
  for (size_t number = 0; number < lives_of.size(); ++number) {
    if (lives_of[number].empty()) lives_of[number].push_back({.tid = index_.tids()[number]});
    first_life_.push_back(static_cast<EntityId>(lives_.size()));
    for (Life& life : lives_of[number]) lives_.push_back(std::move(life));
    end_life_.push_back(static_cast<EntityId>(lives_.size()));
  }
}

void Lives::BeginGrowing(uint64_t start_ns, const Pauses& pauses, ToldStates told) {
  start_ns_ = start_ns;
  pauses_ = &pauses;
  told_states_ = told;
}

EntityId Lives::AddLife(uint32_t number, Life life) {
  const auto id = static_cast<EntityId>(lives_.size());
  lives_.push_back(std::move(life));
  if (number == first_life_.size()) {
    first_life_.push_back(id);
    end_life_.push_back(id + 1);
    return id;
  }
  std::vector<EntityId>& row = scattered_[number];
  if (row.empty()) row.push_back(first_life_[number]);
  row.push_back(id);
  end_life_[number] = first_life_[number];
  return id;
}

EntityId Lives::Meet(int32_t tid) {
  const uint32_t number = index_.Intern(tid);
  if (number == first_life_.size()) return AddLife(number, {.tid = tid});
  return LifeOf(tid, CountOf(tid) - 1);
}

// The record concerns the tid's latest life, or begins another.
EntityId Lives::Take(const TimedTask& entry, uint64_t settled_until_ns) {
  if (entry.task.tid == 0) return kNobody;
  const EntityId latest = Meet(entry.task.tid);
  std::vector<Life> row = {lives_[latest]};
  TakeTask(entry, start_ns_, *pauses_, told_states_, row);
  lives_[latest] = std::move(row.front());
  if (row.size() == 1) return latest;
  if (row.back().begin_ns < settled_until_ns) {
    row.back().begin_ns = settled_until_ns;
    ++told_late_;
  }
  return AddLife(index_.Find(entry.task.tid), std::move(row.back()));
}

size_t Lives::CountOf(int32_t tid) const {
  const uint32_t number = index_.Find(tid);
  if (number == TidIndex::kNone) return 0;
  const size_t count = end_life_[number] - first_life_[number];
  return count != 0 ? count : scattered_.at(number).size();
}

EntityId Lives::LifeOf(int32_t tid, size_t i) const {
  const uint32_t number = index_.Find(tid);
  const bool is_scattered = end_life_[number] == first_life_[number];
  return is_scattered ? scattered_.at(number)[i] : first_life_[number] + static_cast<EntityId>(i);
}

ToldStates ToldStatesOf(const pb::Session& session, bool identity_gave_way) {
  if (session.backend() == "import") return ToldStates::kNone;
  if (!identity_gave_way) return ToldStates::kAtTheBeginning;
  return session.identities_tell_states() ? ToldStates::kInIdentities : ToldStates::kNone;
}

// The last that began by then; the first also had the tid before.
EntityId Lives::FindAmong(uint32_t number, uint64_t time_ns) const {
  if (end_life_[number] != first_life_[number]) {
    const auto first = lives_.begin() + first_life_[number];
    const auto after =
        std::upper_bound(first + 1, lives_.begin() + end_life_[number], time_ns,
                         [](uint64_t time, const Life& life) { return time < life.begin_ns; });
    return static_cast<EntityId>(after - lives_.begin()) - 1;
  }
  const std::vector<EntityId>& row = scattered_.at(number);
  const auto after =
      std::upper_bound(row.begin() + 1, row.end(), time_ns,
                       [this](uint64_t time, EntityId id) { return time < lives_[id].begin_ns; });
  return *(after - 1);
}

Entity ThreadEntity(const Life& life, const Lives& lives) {
  const TaskRecord& task = life.identity;
  Entity entity;
  entity.name = task.comm.empty() ? absl::StrCat("tid ", life.tid) : task.comm;
  entity.tid = life.tid;
  entity.tgid = task.tgid;
  entity.parent_tid = task.parent_tid;
  entity.start_time_ns = task.start_time_ns;
  entity.cgroup_id = task.cgroup_id;
  entity.kernel_thread = task.kernel_thread;
  entity.recorder = task.recorder;
  const EntityId leader = task.tgid == 0 ? kNobody : lives.Find(task.tgid, life.begin_ns);
  const bool leader_named = leader != kNobody && lives.lives()[leader].known;
  entity.process_name = leader_named ? lives.lives()[leader].identity.comm : entity.name;
  return entity;
}

std::vector<Entity> ThreadEntities(const Lives& lives) {
  std::vector<Entity> entities;
  entities.reserve(lives.lives().size());
  for (const Life& life : lives.lives()) entities.push_back(ThreadEntity(life, lives));
  return entities;
}

namespace {

// /proc cuts a start time to clock ticks, so a target's may be cut as well.
constexpr uint64_t kClockTickNs = 10'000'000;

bool MayBeTheSameStart(uint64_t a_ns, uint64_t b_ns) {
  return a_ns == 0 || b_ns == 0 || std::max(a_ns, b_ns) - std::min(a_ns, b_ns) < kClockTickNs;
}

bool IsNamed(const pb::Target& target, const Entity& entity) {
  switch (target.of_case()) {
    case pb::Target::kPid:
      return (entity.tgid == target.pid() || entity.tid == target.pid()) &&
             (entity.tid != target.pid() ||
              MayBeTheSameStart(entity.start_time_ns, target.start_time_ns()));
    case pb::Target::kComm:
      return entity.name == target.comm() || entity.process_name == target.comm();
    case pb::Target::kCgroupId:
      return entity.cgroup_id == target.cgroup_id();
    case pb::Target::OF_NOT_SET:
      return false;
  }
  return false;
}

// The kernel may call a script by its interpreter, while people call it by its file.
bool IsScript(const pb::Target& target, const Entity& entity) {
  return target.of_case() == pb::Target::kComm &&
         IsCommandCalled(entity.command, target.comm(), /*exactly=*/true);
}

}  // namespace

void MarkTargets(std::span<const pb::Target> targets, std::vector<Entity>& entities,
                 const Lives& lives) {
  std::vector<uint8_t> passes_on(entities.size(), 0);  // to its descendants
  const auto mark = [&](const pb::Target& target, const auto& is_meant) {
    bool found = false;
    for (size_t id = 0; id < entities.size(); ++id) {
      if (!is_meant(target, entities[id])) continue;
      entities[id].target = found = true;
      if (target.of_case() == pb::Target::kPid) passes_on[id] = 1;
    }
    return found;
  };
  for (const pb::Target& target : targets) {
    if (!mark(target, IsNamed)) mark(target, IsScript);
  }
  // Each round marks at least one more thread, or is the last one.
  for (bool more = true; more;) {
    more = false;
    for (size_t id = 0; id < entities.size(); ++id) {
      if (passes_on[id] != 0) continue;
      const uint64_t begin_ns = lives.lives()[id].begin_ns;
      const EntityId leader = lives.Find(entities[id].tgid, begin_ns);
      const EntityId parent = lives.Find(entities[id].parent_tid, begin_ns);
      const bool inherits = (leader != kNobody && passes_on[leader] != 0) ||
                            (parent != kNobody && passes_on[parent] != 0);
      if (!inherits) continue;
      passes_on[id] = 1;
      entities[id].target = true;
      more = true;
    }
  }
}

std::vector<std::string> NamesOfUnseen(std::span<const pb::Target> targets,
                                       std::span<const Entity> entities) {
  std::vector<std::string> unseen;
  for (const pb::Target& target : targets) {
    if (target.of_case() == pb::Target::kCgroupId) continue;  // an idle group is no mistake
    const bool seen = std::any_of(entities.begin(), entities.end(), [&](const Entity& entity) {
      return IsNamed(target, entity) || IsScript(target, entity);
    });
    if (!seen) unseen.push_back(target.label().empty() ? target.comm() : target.label());
  }
  return unseen;
}

std::vector<pb::Target> WithGroupsBelow(std::vector<pb::Target> targets,
                                        const pb::Session& session) {
  std::set<uint64_t> wanted;
  for (const pb::Target& target : targets)
    if (target.of_case() == pb::Target::kCgroupId) wanted.insert(target.cgroup_id());
  std::vector<std::string> above;
  for (const pb::Cgroup& group : session.cgroups())
    if (wanted.contains(group.id()))
      above.push_back(absl::StrCat(group.path() == "/" ? "" : group.path(), "/"));
  for (const pb::Cgroup& group : session.cgroups()) {
    const bool below = std::any_of(above.begin(), above.end(), [&](const std::string& path) {
      return group.path().starts_with(path);
    });
    if (below && wanted.insert(group.id()).second) targets.emplace_back().set_cgroup_id(group.id());
  }
  return targets;
}

// A helper process of the recorder runs the recorder's program; a command that the recorder starts
// is one of its own from its exec on. Each round marks at least one more thread, or is the last
// one.
void MarkRecordersHelpers(std::vector<Entity>& entities, const Lives& lives) {
  for (bool more = true; more;) {
    more = false;
    for (size_t id = 0; id < entities.size(); ++id) {
      Entity& entity = entities[id];
      const Life& life = lives.lives()[id];
      if (entity.recorder || entity.target || life.ran_exec) continue;
      const EntityId parent = lives.Find(entity.parent_tid, life.begin_ns);
      if (parent == kNobody || !entities[parent].recorder) continue;
      entity.recorder = true;
      more = true;
    }
  }
}

}  // namespace gordian
