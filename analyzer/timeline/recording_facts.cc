// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recording_facts.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "analyzer/timeline/thread_containers.h"
#include "analyzer/timeline/worker_names.h"
#include "trace/session_span.h"

namespace gordian {

RecordingFacts::RecordingFacts(const SessionReader& session, const Pauses& pauses)
    : session_(session.session()), pauses_(pauses) {
  FindTimes(session);
}

// A flight recorder's older blocks gave way: the rest begins with the oldest block there is. CPUs
// whose blocks begin later have lost their events before.
void RecordingFacts::FindTimes(const SessionReader& session) {
  const SessionSpan span = SpanOf(session);
  const EventStream* tasks = session.tasks();
  identity_gave_way_ = span.gave_way || (tasks != nullptr && !tasks->blocks().empty() &&
                                         tasks->blocks()[0].sequence > 0);
  start_ns_ = pauses_.RecordedTime(span.start_ns);
  end_ns_ = pauses_.RecordedTime(span.end_ns);
  // Events that belong to no CPU (words of probes) have a stream, too.
  const auto cpu_streams =
      std::count_if(session.cpus().begin(), session.cpus().end(),
                    [](const auto& stream) { return stream->cpu() != kNoCpu; });
  cpus_ = std::max(session_.host().cpus(), static_cast<uint32_t>(cpu_streams));

  for (const auto& stream : session.cpus()) {
    uint64_t due = 0;
    uint64_t before_ns = start_ns_;
    for (const BlockInfo& block : stream->blocks()) {
      if (block.sequence > due)
        lossy_stretches_.Add(stream->cpu(), before_ns, pauses_.RecordedTime(block.first_time_ns));
      due = block.sequence + 1;
      before_ns = pauses_.RecordedTime(block.last_time_ns);
    }
  }
}

void RecordingFacts::EndAt(uint64_t time_ns) {
  const uint64_t end_ns = std::min(std::max(time_ns, start_ns_), end_ns_);
  unread_ns_ += end_ns_ - end_ns;
  end_ns_ = end_ns;
}

void RecordingFacts::Take(DecodedBlock& block) {
  events_ += block.events;
  if (!block.tasks.empty() || !block.locks.empty())
    taken_.push_back(
        {block.rank, tasks_.size(), block.tasks.size(), common_.locks.size(), block.locks.size()});
  for (TimedTask& task : block.tasks) tasks_.push_back(std::move(task));
  for (WorkRecord& work : block.works) works_.push_back(std::move(work));
  common_.Take(block, pauses_);
  for (const LossRecord& record : block.losses) TakeLoss(record);
}

// The order of what has the same time is that of the blocks, whenever each of them was taken.
void RecordingFacts::OrderTaken() {
  std::sort(taken_.begin(), taken_.end(),
            [](const Taken& a, const Taken& b) { return a.rank < b.rank; });
  std::vector<TimedTask> tasks;
  std::vector<LockRecord> locks;
  tasks.reserve(tasks_.size());
  locks.reserve(common_.locks.size());
  for (const Taken& taken : taken_) {
    const auto task = tasks_.begin() + static_cast<ptrdiff_t>(taken.first_task);
    tasks.insert(tasks.end(), std::make_move_iterator(task),
                 std::make_move_iterator(task + static_cast<ptrdiff_t>(taken.tasks)));
    const auto lock = common_.locks.begin() + static_cast<ptrdiff_t>(taken.first_lock);
    locks.insert(locks.end(), lock, lock + static_cast<ptrdiff_t>(taken.locks));
  }
  tasks_ = std::move(tasks);
  common_.locks = std::move(locks);
  taken_ = {};
}

void RecordingFacts::TakeLoss(const LossRecord& record) {
  if (!MakesTimelineLess(record.loss.kind)) return;
  lost_ += record.loss.count;
  if (record.loss.kind != EventKind::kSwitch) return;
  const uint64_t from_ns = record.time_ns - std::min(record.time_ns, record.loss.duration_ns);
  lossy_stretches_.Add(record.cpu, from_ns, record.time_ns);
}

void RecordingFacts::MeetThreadsOf(const Window& window) {
  for (const ThreadSlice& slice : window.slices) common_.mentioned.emplace_back(slice.tid);
}

void RecordingFacts::SortMentioned() {
  std::sort(common_.mentioned.begin(), common_.mentioned.end());
  common_.mentioned.erase(std::unique(common_.mentioned.begin(), common_.mentioned.end()),
                          common_.mentioned.end());
}

void RecordingFacts::TakeDamaged(const BlockSource::Damage& damage) {
  unreadable_ += damage.block.events;
  lossy_stretches_.Add(damage.cpu, pauses_.RecordedTime(damage.block.first_time_ns),
                       pauses_.RecordedTime(damage.block.last_time_ns));
}

RecordedEntities RecordingFacts::Finish(std::span<const pb::Target> more_targets) {
  lossy_stretches_.Finish();
  common_.hidden_switches.Finish();
  OrderTaken();
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  std::stable_sort(common_.locks.begin(), common_.locks.end(), by_time);
  lock_holders_ = LockHolders(std::move(common_.locks));
  std::stable_sort(tasks_.begin(), tasks_.end(), by_time);
  lives_.Build(tasks_, std::move(common_.mentioned), start_ns_, pauses_,
               ToldStatesOf(session_, identity_gave_way_));
  RecordedEntities made{.entities = ThreadEntities(lives_)};
  std::vector<Entity>& entities = made.entities;
  WorkerNames workers;
  workers.Add(works_, lives_, entities);
  workers.Name(lives_, entities);
  made.programs.Build(tasks_, lives_, start_ns_);
  tasks_ = {};
  works_ = {};
  for (EntityId thread = 0; thread < entities.size(); ++thread) {
    if (made.programs.Of(thread).empty()) continue;
    const Program& last = made.programs.Of(thread).back();
    entities[thread].command = last.command;
    entities[thread].directory = last.directory;
  }
  NameContainers(session_, entities);
  std::vector<pb::Target> targets(session_.targets().begin(), session_.targets().end());
  targets.insert(targets.end(), more_targets.begin(), more_targets.end());
  MarkTargets(WithGroupsBelow(std::move(targets), session_), entities, lives_);
  MarkRecordersHelpers(entities, lives_);
  common_.pseudo_threads.AppendTo(entities, session_);
  for (size_t id = lives_.lives().size(); id < entities.size(); ++id) {
    entities[id].begin_ns = start_ns_;
    entities[id].end_ns = end_ns_;
  }
  for (const Life& life : lives_.lives()) {
    made.creators.push_back(lives_.CreatorOf(life));
    made.exits.push_back(life.exit_ns);
  }
  return made;
}

HistoryContext RecordingFacts::Context() const {
  return {.lives = lives_,
          .pseudo_threads = common_.pseudo_threads,
          .lock_holders = lock_holders_,
          .lossy_stretches = lossy_stretches_,
          .hidden_switches = common_.hidden_switches.stretches(),
          .pauses = pauses_,
          .start_ns = start_ns_,
          .end_ns = end_ns_};
}

}  // namespace gordian
