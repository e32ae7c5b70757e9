// SPDX-License-Identifier: Apache-2.0
// The end of a recording, by itself or on request, and the last writes.
#include <utility>

#include "recorder/recording/node_recording.h"
#include "recorder/recording/session_notes.h"
#include "recorder/sources/clock.h"
#include "trace/counters.h"

namespace gordian {

// A size that was asked for and a full disk both come as ResourceExhausted.
EndReason NodeRecording::ReasonOf(const absl::Status& error) const {
  if (!absl::IsResourceExhausted(error)) return EndReason::kError;
  return writer_->size_limit_reached() ? EndReason::kSizeLimit : EndReason::kDiskFull;
}

// Called with the lock. Hooks go at once: records that are not drained would only cost.
void NodeRecording::NoteEnd(EndReason reason, const absl::Status& error) {
  programs_->End();
  end_ns_ = MonotonicNowNs();
  cost_.reset();
  if (paused_) NotePauseUntil(end_ns_);
  last_resources_ = SampleResources(end_ns_);  // before detaching, which may take its time
  programs_->Detach();
  ended_ = true;
  end_reason_ = reason;
  error_ = error;
}

absl::StatusOr<RecordingStatus> NodeRecording::Stop(EndReason reason) {
  {
    std::lock_guard lock(mutex_);
    if (finished_) return StatusLocked();
    stop_asked_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  {
    // Before anything that takes its time: what happens meanwhile is no part of the recording.
    std::lock_guard lock(mutex_);
    if (begun_ && !ended_ && !finished_) NoteEnd(reason, absl::OkStatus());
  }
  if (unwind_tables_) unwind_tables_->Stop();  // may wait for a file that is being read
  std::unique_lock lock(mutex_);
  finished_ = true;
  if (!programs_ || !drain_) return StatusLocked();  // it never started
  if (!begun_) {
    programs_->Detach();
    return StatusLocked();
  }
  absl::Status status = Finish();
  if (!status.ok() && error_.ok()) {
    error_ = status;
    end_reason_ = ReasonOf(status);
  }
  if (error_.ok() && stack_names_) {
    // Takes its time: a caller of Status must not wait for it.
    lock.unlock();
    NameCode();
    lock.lock();
    WriteNotes(end_ns_).IgnoreError();  // the session there is whole without the counters of names
  }
  return StatusLocked();
}

// The session on disk is complete without names, and stays so if this fails. Only called when the
// drain has ended.
void NodeRecording::NameCode() {
  absl::Status status = writer_->WriteSymbols(stack_names_->Images());
  if (status.ok()) {
    const pb::Symbols symbols = stack_names_->Name(&leave_code_unnamed_);
    for (const pb::SymbolCounter& counter : symbols.counters())
      AddCounter(session_, counter.name(), counter.value());
    status = writer_->WriteSymbols(symbols);
  }
  SetCounter(session_, "stacks_left_unnamed", stack_names_->stacks_left_out());
  SetCounter(session_, "symbols_processes_gone", stack_names_->processes_gone());
  SetCounter(session_, "symbols_not_written", status.ok() ? 0 : 1);
  names_error_ = status;
}

// The records still in the rings, then the last version of session.pb.
absl::Status NodeRecording::Finish() {
  absl::Status status = error_;
  discard_ = !status.ok();  // events that can no longer be written are still counted
  const absl::Status drained = Drain();
  for (int cpu = 0; cpu < programs_->cpus() && drained.ok(); ++cpu) {
    losses_->Check(cpu, programs_->cpu(cpu), end_ns_, drain_->block(cpu));
    losses_->CheckEnd(cpu, programs_->cpu(cpu), drain_->records(cpu), end_ns_, drain_->block(cpu));
  }
  const absl::Status flushed = drained.ok() ? Flush(end_ns_) : drained;
  if (status.ok()) status = flushed;
  // Once more, now that all threads' ends are known: a thread that ended just now may have left
  // last words.
  probes_.LastRound(MonotonicNowNs());
  const absl::Status said = WriteProbes(end_ns_);
  probes_.End(MonotonicNowNs());
  if (status.ok()) status = said;
  const absl::Status sampled = WriteResources(last_resources_);
  if (status.ok()) status = sampled;
  NoteClocks(session_);
  // A recording that ended for want of room is complete as far as it goes; one that failed is not.
  session_.set_complete(status.ok() || absl::IsResourceExhausted(status));
  if (status.ok()) session_.set_complete_until_ns(end_ns_);
  session_.set_end_reason(EndReasonText(status.ok() ? end_reason_ : ReasonOf(status)));
  const absl::Status written = WriteNotes(end_ns_);
  return status.ok() ? written : status;
}

}  // namespace gordian
