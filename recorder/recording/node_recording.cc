// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/node_recording.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "recorder/recording/kernel_options.h"
#include "recorder/recording/session_notes.h"
#include "recorder/sources/clock.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

// Rings of the default size take seconds to fill at ordinary rates; a fifth of that is left as a
// margin even at a million events per second and CPU.
constexpr uint64_t kDrainIntervalNs = 20'000'000;
constexpr uint64_t kNotesIntervalNs = 1'000'000'000;
constexpr uint64_t kStacksIntervalNs = 10'000'000'000;
// A flush tells a watermark of so long before, if the kernel answers in that time, as it mostly
// does.
constexpr uint64_t kWatermarkLeadNs = 100'000'000;
// The recorder must get a CPU even if every CPU is taken: otherwise its rings overflow.
constexpr int kDrainNice = -10;

}  // namespace

void NodeRecording::SetNodeClock(const pb::NodeClock& clock) {
  const std::lock_guard lock(mutex_);
  *session_.mutable_node_clock() = clock;
}

void NodeRecording::Run() {
  pthread_setname_np(pthread_self(), "gordian-drain");
  setpriority(PRIO_PROCESS, 0,
              kDrainNice);  // best effort: without the right to it the recording works all the same
  std::unique_lock lock(mutex_);
  while (!stop_asked_) {
    const uint64_t now_ns = MonotonicNowNs();
    const absl::Status status = Round(now_ns);
    if (!status.ok()) {
      NoteEnd(ReasonOf(status), status);
      return;
    }
    if (options_.duration != absl::InfiniteDuration() &&
        now_ns - start_ns_ >= Ns(options_.duration)) {
      NoteEnd(EndReason::kDuration, absl::OkStatus());
      return;
    }
    const std::chrono::nanoseconds wait(WaitNs(kDrainIntervalNs));
    wake_.wait_for(lock, wait, [this] { return stop_asked_; });
  }
}

absl::Status NodeRecording::Round(uint64_t now_ns) {
  // The time of day has leapt: a pair of clocks for each side of it.
  if (suspends_->Look(now_ns, SleptSinceBootNs(), session_)) NoteClocks(session_);
  if (!watermark_asked_ && now_ns + kWatermarkLeadNs >= next_flush_ns_) {
    watermark_->Ask(now_ns);
    watermark_asked_ = true;
  }
  if (absl::Status status = Drain(); !status.ok()) return status;
  for (size_t cpu = 0; cpu < code_seen_.size(); ++cpu)
    LearnCode(drain_->block(static_cast<int>(cpu)), code_seen_[cpu]);
  LearnInterfaces();
  probes_.Round(now_ns);
  if (stack_names_) stack_names_->LookAtProcesses(now_ns);
  if (unwind_tables_) unwind_tables_->Round(now_ns);
  if (absl::Status status = KeepPace(now_ns); !status.ok()) return status;
  const bool flush_is_due = now_ns >= next_flush_ns_;
  if (flush_is_due) {
    if (absl::Status status = Flush(now_ns); !status.ok()) return status;
    next_flush_ns_ = now_ns + Ns(options_.flush_interval);
    watermark_asked_ = false;
  }
  if (now_ns >= next_resources_ns_) {
    if (absl::Status status = WriteResources(SampleResources(now_ns)); !status.ok()) return status;
    // A late round delays its own sample only; of several that were missed one is taken.
    next_resources_ns_ += Ns(options_.resource_interval);
    if (next_resources_ns_ <= now_ns) next_resources_ns_ = now_ns + Ns(options_.resource_interval);
  }
  TellStacksAnew(now_ns);
  if (now_ns >= next_clocks_ns_) {
    NoteClocks(session_);
    next_clocks_ns_ = now_ns + kClocksIntervalNs;
  }
  if (now_ns >= next_notes_ns_) return WriteNotes(now_ns);
  return flush_is_due ? WriteMark(now_ns) : absl::OkStatus();
}

// For a flight recorder, whose older blocks give way, and for readers that began in the middle.
void NodeRecording::TellStacksAnew(uint64_t now_ns) {
  if (options_.stacks == StackChoice::kOff || now_ns < next_stacks_told_ns_) return;
  if (options_.ring_bytes == 0 && !stacks_are_wanted_) return;
  programs_->ForgetStacksTold();
  stacks_are_wanted_ = false;
  next_stacks_told_ns_ = now_ns + kStacksIntervalNs;
}

absl::Status NodeRecording::Drain() {
  watermark_->DrainBegins();
  if (auto drained = drain_->Drain(); !drained.ok()) return drained.status();
  watermark_->DrainEnds(drain_->reached_ends());
  return absl::OkStatus();
}

// All that was drained is in the files then. Losses told later lie behind this time, too: their
// intervals begin where this one's end.
absl::Status NodeRecording::Flush(uint64_t now_ns) {
  for (int cpu = 0; cpu < programs_->cpus(); ++cpu)
    losses_->Check(cpu, programs_->cpu(cpu), now_ns, drain_->block(cpu));
  if (absl::Status status = drain_->Flush(); !status.ok()) return status;
  if (absl::Status status = WriteProbes(now_ns); !status.ok()) return status;
  last_flush_ns_ = now_ns;
  if (!discard_)
    session_.set_complete_until_ns(probes_.PromiseUntil(watermark_->drained_until_ns()));
  return absl::OkStatus();
}

// After the kernel's own events up to now: the births of the threads that speak are among them.
absl::Status NodeRecording::WriteProbes(uint64_t now_ns) {
  probes_.TakeUntil(now_ns, probe_block_);
  losses_->CheckPrograms(programs_->CountLeftOut(), now_ns, probe_block_);
  return Write(probe_block_);
}

// At once: their namespaces may soon be gone.
void NodeRecording::LearnInterfaces() {
  const std::vector<ForeignInterface>& foreign = drain_->foreign_interfaces();
  for (; interfaces_seen_ < foreign.size(); ++interfaces_seen_)
    networks_.Add(static_cast<uint32_t>(kFirstForeignInterface + interfaces_seen_),
                  foreign[interfaces_seen_].network, foreign[interfaces_seen_].index);
  networks_.NameThem();
}

// The new events in the block since the last time. A block may wait for half a second until it is
// written; a process in it may be gone by then.
void NodeRecording::LearnCode(const EventBlock& block, size_t& seen) {
  if (stack_names_) stack_names_->Learn(block, seen);
  if (unwind_tables_ && !ended_) unwind_tables_->Learn(block, MonotonicNowNs(), seen);
  seen = block.events.size();
}

absl::Status NodeRecording::Write(EventBlock& block) {
  if (!block.tasks.empty() || !block.flows.empty())  // most blocks have no such event
    for (const TraceEvent& event : block.events)
      if (event.kind == EventKind::kTask || event.kind == EventKind::kFlow) {
        identity_.Learn(event, block);
        probes_.Learn(event, block);
      }
  // Records that another CPU was writing when the recording paused count as recorded, too.
  if (window_ends_ && block.cpu != kNoCpu)
    for (const TraceEvent& event : block.events)
      if (event.kind != EventKind::kTask && event.kind != EventKind::kLoss)
        paused_since_ns_ = std::max(paused_since_ns_, event.time_ns);
  size_t nothing_seen = 0;
  size_t& seen = block.cpu < code_seen_.size() ? code_seen_[block.cpu] : nothing_seen;
  LearnCode(block, seen);
  // Records that another CPU was writing when the recording ended belong to it, too.
  if (ended_)
    for (const TraceEvent& event : block.events) end_ns_ = std::max(end_ns_, event.time_ns);
  if (discard_) {
    not_written_ += block.events.size();
    block.Clear();
    seen = 0;
    return absl::OkStatus();
  }
  // After a failure the block keeps its events: they are counted when the recording ends.
  absl::Status status = writer_->AppendEvents(block);
  seen = block.events.size();
  return status;
}

pb::ResourceBlock NodeRecording::SampleResources(uint64_t now_ns) {
  pb::ResourceBlock block;
  block.set_first_time_ns(now_ns);
  block.set_last_time_ns(now_ns);
  resources_.Sample(now_ns, block);
  irq_totals_->Sample(now_ns, block);
  return block;
}

absl::Status NodeRecording::WriteResources(const pb::ResourceBlock& block) {
  absl::Status status =
      block.samples().empty() ? absl::OkStatus() : writer_->AppendResources(block);
  if (!status.ok()) samples_not_written_ += static_cast<uint64_t>(block.samples_size());
  return status;
}

// Only how far it has got: little enough for each flush.
absl::Status NodeRecording::WriteMark(uint64_t now_ns) {
  if (paused_) NotePauseUntil(now_ns);
  session_.set_end_time_ns(now_ns);
  return writer_->WriteSession(session_);
}

absl::Status NodeRecording::WriteNotes(uint64_t now_ns) {
  NoteKernelCounters(*programs_, session_);
  if (options_.test_window_rounds > 0) NoteTestWindows(*programs_, session_);
  if (unwind_tables_)
    NoteUnwindCounters(programs_->unwind_maps(), unwind_tables_->counters(), session_);
  NoteProbeCounters(probes_.counts(), session_);
  SetCounter(session_, "resource_samples_missed",
             resources_.samples_missed() + samples_not_written_);
  SetCounter(session_, "time_inversions_sorted", writer_->time_inversions_sorted());
  SetCounter(session_, "events_not_written", not_written_);
  SetCounter(session_, "records_unknown", drain_->malformed());
  SetCounter(session_, "records_unfinished", losses_->unfinished());
  SetCounter(session_, "stacks_without_number", drain_->stacks_without_number());
  SetCounter(session_, "interfaces_without_number", drain_->interfaces_without_number());
  SetCounter(session_, "flows_forgotten", identity_.flows_forgotten());
  SetCounter(session_, "recording_pauses", static_cast<uint64_t>(session_.pauses_size()));
  SetCounter(session_, "ring_events_given_way", writer_->events_dropped_by_ring());
  cgroups_.Refresh();
  cgroups_.Fill(session_);
  LearnInterfaces();
  networks_.Fill(session_);
  next_notes_ns_ = now_ns + kNotesIntervalNs;
  return WriteMark(now_ns);
}

absl::Status NodeRecording::Snapshot(const std::string& directory) {
  std::lock_guard lock(mutex_);
  if (!begun_) return absl::FailedPreconditionError("the recording has not begun");
  if (ended_ || finished_)
    return absl::FailedPreconditionError(
        "the recording has ended; its folder can be read as it is");
  const uint64_t now_ns = MonotonicNowNs();
  if (absl::Status status = Drain(); !status.ok()) return status;
  if (absl::Status status = Flush(now_ns); !status.ok()) return status;
  if (absl::Status status = WriteNotes(now_ns); !status.ok()) return status;
  pb::Session cut = session_;
  NoteClocks(cut);
  cut.set_complete(true);
  cut.set_end_reason("snapshot");
  cut.set_snapshot_of(session_.name());
  if (absl::Status status = writer_->Snapshot(directory, cut); !status.ok()) return status;
  // Looking for names takes longer than the rings can wait: gordian symbolize does it.
  return stack_names_ ? WriteSymbols(directory, stack_names_->Images()) : absl::OkStatus();
}

RecordingStatus NodeRecording::Status() const {
  std::lock_guard lock(mutex_);
  return StatusLocked();
}

RecordingStatus NodeRecording::StatusLocked() const {
  RecordingStatus status;
  status.events = writer_ ? writer_->events_written() : 0;
  status.lost = (losses_ ? losses_->total() : 0) + probes_.counts().lost;
  status.not_written = not_written_;
  status.names_error = names_error_;
  status.bytes_on_disk = writer_ ? writer_->bytes_on_disk() : 0;
  const uint64_t until_ns = ended_ ? end_ns_ : MonotonicNowNs();
  status.begun = begun_;
  status.paused = absl::Nanoseconds(PausedNs(until_ns));
  status.pauses = static_cast<uint64_t>(session_.pauses_size());
  status.elapsed = begun_ ? absl::Nanoseconds(until_ns - start_ns_) : absl::ZeroDuration();
  status.ended = ended_;
  status.end_reason = end_reason_;
  status.error = error_;
  status.backend = programs_ ? std::string(programs_->backend()) : "";
  status.directory = options_.directory;
  return status;
}

}  // namespace gordian
