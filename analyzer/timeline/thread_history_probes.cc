// SPDX-License-Identifier: Apache-2.0
// How a program's own probes change its threads' time: false wakeups and spins.
#include "analyzer/timeline/thread_history.h"

namespace gordian {

// The end of something whose beginning is not known.
void ThreadHistory::CountUnmatched() {
  if (!may_have_begun_unseen_) ++counts_.unmatched_probes;
}

void ThreadHistory::Probe(const ThreadRecord& record) {
  if (state_ == State::kUnheardOf) SettleUnheardOf(record);
  switch (record.kind) {
    case RecordKind::kFalseWakeup:
      if (!has_wait_) CountUnmatched();
      join_waits_ = has_wait_;
      return;
    case RecordKind::kCondWaitBegin:
      in_cond_wait_ = true;
      may_have_begun_unseen_ = false;
      slept_in_cond_wait_ = false;
      return;
    case RecordKind::kCondWaitEnd:
      if (!in_cond_wait_) CountUnmatched();
      in_cond_wait_ = slept_in_cond_wait_ = false;
      return;
    case RecordKind::kSpinBegin:
      return BeginSpin(record);
    default:
      return EndSpin(record);
  }
}

void ThreadHistory::BeginSpin(const ThreadRecord& record) {
  if (state_ != State::kRunning || spinning_) {
    ++counts_.unmatched_probes;
    return;
  }
  may_have_begun_unseen_ = false;
  EndRun(record.time_ns);
  spinning_ = true;
  lock_ = record.other;
  spins_.clear();
  PushRun(record.time_ns);
}

void ThreadHistory::EndSpin(const ThreadRecord& record) {
  if (!spinning_ || lock_ != record.other || state_ != State::kRunning) {
    CountUnmatched();
    return;
  }
  const int32_t holder_tid = context_.lock_holders.LastBefore(lock_, record.time_ns, tid_);
  const EntityId holder = context_.lives.Find(holder_tid, record.time_ns);
  const bool known = holder != kNobody && holder != thread_;
  if (!known) ++counts_.spins_without_holder;
  for (const Place spin : spins_) {
    At(spin).waker = known ? holder : context_.pseudo_threads.unknown();
  }
  EndRun(record.time_ns);
  spinning_ = false;
  PushRun(record.time_ns);
}

}  // namespace gordian
