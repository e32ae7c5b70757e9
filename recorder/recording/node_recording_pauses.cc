// SPDX-License-Identifier: Apache-2.0
// How a recording with a budget pauses and goes on: pace.h says when.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "recorder/clocks/node_clock_table.h"
#include "recorder/recording/node_recording.h"
#include "recorder/sources/clock.h"
#include "trace/counters.h"

namespace gordian {

absl::Status NodeRecording::KeepPace(uint64_t now_ns) {
  if (options_.budget_share <= 0) return absl::OkStatus();
  if (!cost_) SetPace(now_ns);
  const bool records = PaceRecords(now_ns);
  if (records == !paused_) return absl::OkStatus();
  return records ? GoOn() : Pause();
}

void NodeRecording::SetPace(uint64_t now_ns) {
  cost_.emplace(*programs_, std::move(cpu_share_), start_own_ns_, start_ns_);
  const auto cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const CostLedger ledger(budget_share_, cpus, now_ns, cost_->Take(now_ns));
  SetCounter(session_, "start_cost_beyond_budget_ns", ledger.start_beyond_ns());
  if (options_.pause_timetable) {
    joint_pace_.emplace(*options_.pause_timetable, ledger, now_ns, ReferenceNs(start_ns_));
  } else {
    pace_.emplace(ledger, now_ns);
  }
}

bool NodeRecording::PaceRecords(uint64_t now_ns) {
  const uint64_t cost_ns = cost_->Take(now_ns);
  if (joint_pace_) {
    joint_pace_->SetShare(budget_share_);
    return joint_pace_->Records(now_ns, ReferenceNs(now_ns), cost_ns);
  }
  pace_->SetShare(budget_share_);
  return pace_->Records(now_ns, cost_ns);
}

uint64_t NodeRecording::ReferenceNs(uint64_t now_ns) const {
  const auto best = BestOffset(session_.node_clock(), now_ns);
  return best ? now_ns + static_cast<uint64_t>(best->offset_ns()) : now_ns;
}

uint64_t NodeRecording::WaitNs(uint64_t longest_ns) const {
  if (!joint_pace_) return longest_ns;
  const uint64_t reference_ns = ReferenceNs(MonotonicNowNs());
  const uint64_t border_ns = joint_pace_->NextBorderNs();
  return border_ns > reference_ns ? std::min(border_ns - reference_ns, longest_ns) : longest_ns;
}

// The pause begins when the last record was written. So the rings are drained first, and blocks end
// here.
absl::Status NodeRecording::Pause() {
  paused_since_ns_ = MonotonicNowNs();
  programs_->Pause();
  cost_->Pause(paused_since_ns_);
  window_ends_ = true;
  absl::Status status = Drain();
  if (status.ok()) status = Flush(MonotonicNowNs());
  window_ends_ = false;
  paused_ = true;
  session_.add_pauses()->set_from_ns(paused_since_ns_);
  NotePauseUntil(MonotonicNowNs());
  return status;
}

absl::Status NodeRecording::GoOn() {
  // Losses in the pause, if any, do not touch later events.
  if (absl::Status status = Flush(MonotonicNowNs()); !status.ok()) return status;
  if (absl::Status status = programs_->Resume(MonotonicNowNs()); !status.ok()) return status;
  const uint64_t now_ns = MonotonicNowNs();
  NotePauseUntil(now_ns);
  paused_before_ns_ = PausedNs(now_ns);
  paused_ = false;
  programs_->Begin();
  cost_->Resume(now_ns);
  if (absl::Status status = RecordTasksAfterPause(); !status.ok()) return status;
  return WriteNotes(MonotonicNowNs());
}

void NodeRecording::NotePauseUntil(uint64_t time_ns) {
  pb::Pause& pause = *session_.mutable_pauses(session_.pauses_size() - 1);
  pause.set_to_ns(std::max(time_ns, pause.from_ns()));
}

int64_t NodeRecording::PausedNs(uint64_t until_ns) const {
  const uint64_t now_ns = paused_ ? std::max(until_ns, paused_since_ns_) - paused_since_ns_ : 0;
  return paused_before_ns_ + static_cast<int64_t>(now_ns);
}

}  // namespace gordian
