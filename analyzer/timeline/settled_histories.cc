// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/settled_histories.h"

#include <algorithm>

#include "base/parallel.h"

namespace gordian {
namespace {

constexpr size_t kSharesPerTask = 16;

uint32_t ContradictionsOf(const HistoryCounts& counts) {
  return static_cast<uint32_t>(counts.contradicting_switches);
}

}  // namespace

std::vector<NamedCount> AboveZero(const HistoryCounts& counts) {
  std::vector<NamedCount> all = NamedCounts(counts);
  std::erase_if(all, [](const NamedCount& count) { return count.value == 0; });
  return all;
}

void AddUp(const SettledSlice& slice, Entity& thread) {
  if (slice.begins) thread.begin_ns = slice.from_ns;
  if (slice.ends) thread.end_ns = slice.until_ns;
  for (size_t kind = 0; kind < slice.time_ns.size(); ++kind)
    TimeOf(thread, static_cast<SegmentKind>(kind)) += slice.time_ns[kind];
}

SettledHistories::SettledHistories(const HistoryContext& context, const StreamOptions& options)
    : context_(context),
      threads_count_(ThreadCount(options.threads)),
      most_unsettled_(options.most_unsettled) {}

void SettledHistories::Add() {
  threads_.push_back(std::make_unique<Thread>(static_cast<EntityId>(threads_.size()), context_));
}

void SettledHistories::Read(std::span<const ThreadShare> shares) {
  for (const EntityId id : due_) {
    threads_[id]->settled = {};
    threads_[id]->is_due = false;
    if (threads_[id]->is_given) LetGo(id);
  }
  due_.clear();
  ParallelFor(threads_count_, (shares.size() + kSharesPerTask - 1) / kSharesPerTask,
              [&](size_t task, int) {
                const size_t end = std::min(shares.size(), (task + 1) * kSharesPerTask);
                for (size_t i = task * kSharesPerTask; i < end; ++i) ReadShare(shares[i]);
              });
  for (const ThreadShare& share : shares)
    if (threads_[share.thread] != nullptr && threads_[share.thread]->is_due)
      due_.push_back(share.thread);
  std::sort(due_.begin(), due_.end());
}

// Of a thread that is gone only what it counted is asked for.
void SettledHistories::LetGo(EntityId id) {
  const HistoryCounts& counts = threads_[id]->history.counts();
  counts_ += counts;
  if (counts.contradicting_switches > 0) gone_contradictions_[id] = ContradictionsOf(counts);
  threads_[id] = nullptr;
}

void SettledHistories::ReadShare(const ThreadShare& share) {
  if (threads_[share.thread] == nullptr) return;  // records behind its end change nothing
  Thread& thread = *threads_[share.thread];
  thread.row[1] = share.piece;
  thread.history.Read(1);
  thread.history.TakeSettled(most_unsettled_, thread.settled, thread.unsettled);
  if (thread.settled.empty()) return;
  thread.slice.thread = share.thread;
  thread.slice.ends = thread.history.is_gone() && thread.unsettled.empty();
  CloseSlice(thread,
             thread.slice.ends ? thread.history.gone_ns() : thread.unsettled.front().start_ns);
}

void SettledHistories::CloseSlice(Thread& thread, uint64_t until_ns) {
  SettledSlice& slice = thread.slice;
  // The last window closes a slice once more.
  slice.segments = thread.settled;
  slice.from_ns = thread.settled.front().start_ns;
  slice.until_ns = thread.until_ns = until_ns;
  slice.begins = thread.is_due ? slice.begins : !thread.has_begun;
  slice.time_ns = {};
  for (size_t i = 0; i < thread.settled.size(); ++i) {
    const bool is_last = i + 1 == thread.settled.size();
    slice.time_ns[static_cast<size_t>(thread.settled[i].kind)] +=
        (is_last ? until_ns : thread.settled[i + 1].start_ns) - thread.settled[i].start_ns;
  }
  thread.has_begun = thread.is_due = true;
  thread.is_given = slice.ends;
}

void SettledHistories::Finish() {
  due_.clear();
  for (EntityId id = 0; id < threads_.size(); ++id) {
    if (threads_[id] == nullptr) continue;
    FinishThread(id);
    if (threads_[id]->is_due) due_.push_back(id);
  }
}

void SettledHistories::FinishThread(EntityId id) {
  Thread& thread = *threads_[id];
  if (thread.is_given) return;
  if (!thread.history.has_read()) Hear(id);  // now that the recording's end is known
  Entity ending;
  bool has_ended = false;
  thread.history.Finish(ending, has_ended);
  thread.settled.insert(thread.settled.end(), thread.unsettled.begin(), thread.unsettled.end());
  thread.unsettled = {};
  thread.slice.thread = id;
  thread.slice.ends = true;
  CloseSlice(thread, ending.end_ns);
}

std::vector<SettledSlice> SettledHistories::slices() const {
  std::vector<SettledSlice> slices;
  slices.reserve(due_.size());
  for (const EntityId id : due_) slices.push_back(threads_[id]->slice);
  return slices;
}

std::vector<UnsettledThread> SettledHistories::UnsettledBefore(uint64_t time_ns) const {
  std::vector<UnsettledThread> unsettled;
  for (EntityId id = 0; id < threads_.size(); ++id) {
    if (threads_[id] == nullptr) continue;
    const Thread& thread = *threads_[id];
    if (!thread.is_given && thread.unsettled.front().start_ns < time_ns)
      unsettled.push_back({id, thread.unsettled, thread.history.LastIfEndedAt(time_ns),
                           thread.history.EndIfEndedAt(time_ns)});
  }
  return unsettled;
}

uint32_t SettledHistories::contradictions(EntityId thread) const {
  if (threads_[thread] != nullptr) return ContradictionsOf(threads_[thread]->history.counts());
  const auto gone = gone_contradictions_.find(thread);
  return gone == gone_contradictions_.end() ? 0 : gone->second;
}

HistoryCounts SettledHistories::counts() const {
  HistoryCounts counts = counts_;
  for (const auto& thread : threads_)
    if (thread != nullptr) counts += thread->history.counts();
  return counts;
}

}  // namespace gordian
