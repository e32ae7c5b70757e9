// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/growing_facts.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/thread_containers.h"

namespace gordian {

GrowingFacts::GrowingFacts(const Pauses& pauses)
    : pauses_(pauses),
      context_{.lives = lives_,
               .pseudo_threads = common_.pseudo_threads,
               .lock_holders = lock_holders_,
               .lossy_stretches = lossy_stretches_,
               .hidden_switches = common_.hidden_switches.stretches(),
               .known_switches = &common_.hidden_switches,
               .pauses = pauses,
               .end_ns = Pauses::kNever} {}

void GrowingFacts::Begin(uint64_t start_ns, ToldStates told) {
  context_.start_ns = start_ns;
  lives_.BeginGrowing(start_ns, pauses_, told);
}

void GrowingFacts::Take(DecodedBlock& block) {
  events_ += block.events;
  for (const FlowRecord& flow : block.flows) AddFlow(flow, flows_);
  works_.Add(block.works);
  tasks_.Add(block.tasks);
  common_.Take(block, pauses_);
  for (const LossRecord& record : block.losses) {
    if (MakesTimelineLess(record.loss.kind)) lost_ += record.loss.count;
    if (record.loss.kind != EventKind::kSwitch) continue;
    TakeLoss(record.cpu, record.time_ns - std::min(record.time_ns, record.loss.duration_ns),
             record.time_ns);
  }
}

void GrowingFacts::TakeLoss(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) {
  if (from_ns < settled_until_ns_) ++told_late_;
  lossy_stretches_.Add(cpu, from_ns, to_ns);
}

void GrowingFacts::Advance(const Window& window, uint64_t to_ns, const pb::Session& session,
                           std::span<const pb::Target> targets, SettledHistories& histories) {
  lossy_stretches_.Finish();
  common_.hidden_switches.Finish();
  std::stable_sort(common_.locks.begin(), common_.locks.end(),
                   [](const LockRecord& a, const LockRecord& b) { return a.time_ns < b.time_ns; });
  lock_holders_ = LockHolders(common_.locks);
  AddSources(session, histories);
  told_.clear();
  for (const TimedTask& entry : tasks_.TakeUntil(all_is_told_ ? Pauses::kNever : to_ns))
    TakeTask(entry, histories);
  for (const int32_t tid : common_.mentioned) lives_.Meet(tid);
  common_.mentioned.clear();
  for (const ThreadSlice& slice : window.slices) lives_.Meet(slice.tid);
  AddThreads(histories);
  NameThreads(session, targets);
  const std::vector<WorkRecord> works = works_.TakeUntil(to_ns);
  worker_names_.Add(works, lives_, entities_);
  if (!told_.empty() || !works.empty()) worker_names_.Name(lives_, entities_);
  KeepHolders(to_ns);
  settled_until_ns_ = to_ns;
}

// Ids of threads and of sources of wakes are one row.
void GrowingFacts::AddSources(const pb::Session& session, SettledHistories& histories) {
  const size_t before = entities_.size();
  common_.pseudo_threads.AppendTo(entities_, session);
  for (size_t id = before; id < entities_.size(); ++id) {
    entities_[id].begin_ns = context_.start_ns;
    lives_.SkipId();
    histories.SkipId();
  }
}

void GrowingFacts::AddThreads(SettledHistories& histories) {
  for (size_t id = entities_.size(); id < lives_.lives().size(); ++id) {
    entities_.emplace_back();
    told_.push_back(static_cast<EntityId>(id));
    histories.Add();
  }
}

// What a life tells of its beginning comes too late when its records were read.
void GrowingFacts::TakeTask(const TimedTask& entry, SettledHistories& histories) {
  if (entry.task.tid == 0) return;
  const EntityId latest = lives_.Meet(entry.task.tid);
  AddThreads(histories);
  const Life before = lives_.lives()[latest];
  const EntityId id = lives_.Take(entry, settled_until_ns_);
  AddThreads(histories);
  const Life& life = lives_.lives()[id];
  if (id == latest && histories.HasRead(id) &&
      (life.begin_ns != before.begin_ns || life.born != before.born))
    ++told_late_;
  told_.push_back(id);
  histories.Hear(id);
  TakeProgram(entry, id);
}

// The first thread of its process; kNobody if that is not known.
EntityId GrowingFacts::ProcessOf(EntityId thread) const {
  const Life& life = lives_.lives()[thread];
  return life.identity.tgid == 0 ? kNobody : lives_.Find(life.identity.tgid, life.begin_ns);
}

void GrowingFacts::TakeProgram(const TimedTask& entry, EntityId thread) {
  if (entry.task.tid != entry.task.tgid) return;
  const EntityId creator = entry.task.change == TaskChange::kNew
                               ? lives_.Find(entry.task.parent_tid, entry.time_ns)
                               : kNobody;
  programs_.Take(entry, thread, std::max(context_.start_ns, lives_.lives()[thread].begin_ns),
                 creator == kNobody ? kNobody : ProcessOf(creator));
}

std::span<const Program> GrowingFacts::programs(EntityId thread) const {
  const EntityId process = ProcessOf(thread);
  return process == kNobody ? std::span<const Program>() : programs_.Of(process);
}

void GrowingFacts::NameThreads(const pb::Session& session, std::span<const pb::Target> targets) {
  if (told_.empty()) return;
  for (const EntityId id : told_) {
    Entity named = ThreadEntity(lives_.lives()[id], lives_);
    Entity& entity = entities_[id];
    named.begin_ns = entity.begin_ns;
    named.end_ns = entity.end_ns;
    for (const SegmentKind kind : {SegmentKind::kUnknown, SegmentKind::kRun, SegmentKind::kRunnable,
                                   SegmentKind::kWait, SegmentKind::kSpin})
      TimeOf(named, kind) = TimeOf(entity, kind);
    named.target = entity.target;
    entity = std::move(named);
  }
  // A process may be told of behind its threads.
  for (EntityId id = 0; id < entities_.size(); ++id) {
    const std::span<const Program> told = programs(id);
    if (told.empty()) continue;
    entities_[id].command = told.back().command;
    entities_[id].directory = told.back().directory;
  }
  NameContainers(session, entities_);
  std::vector<pb::Target> all(session.targets().begin(), session.targets().end());
  all.insert(all.end(), targets.begin(), targets.end());
  MarkTargets(WithGroupsBelow(std::move(all), session), entities_, lives_);
  MarkRecordersHelpers(entities_, lives_);
}

// Of the records until then only those are asked for that came last: of each lock the last, and the
// last by another thread.
void GrowingFacts::KeepHolders(uint64_t to_ns) {
  struct Holder {
    int32_t tid = 0;
    bool has_other = false;
  };
  absl::flat_hash_map<uint32_t, Holder> last;
  std::vector<LockRecord> kept;
  for (auto it = common_.locks.rbegin(); it != common_.locks.rend(); ++it) {
    if (it->time_ns >= to_ns) {
      kept.push_back(*it);
      continue;
    }
    const auto [found, is_last] = last.try_emplace(it->lock, Holder{.tid = it->tid});
    const bool is_other = found->second.tid != it->tid && !found->second.has_other;
    found->second.has_other |= is_other;
    if (is_last || is_other) kept.push_back(*it);
  }
  std::reverse(kept.begin(), kept.end());
  common_.locks = std::move(kept);
}

}  // namespace gordian
