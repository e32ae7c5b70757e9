#include "recorder/recording/node_recording.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/recording/kernel_options.h"
#include "recorder/recording/session_notes.h"
#include "recorder/sources/clock.h"
#include "recorder/sources/process.h"
#include "recorder/sources/time_namespace.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

// Rings of the default size take seconds to fill at ordinary rates; a fifth of that is left as a
// margin even at a million events per second and CPU.
constexpr auto kDrainInterval = std::chrono::milliseconds(20);
constexpr uint64_t kNotesIntervalNs = 1'000'000'000;
constexpr uint64_t kClocksIntervalNs = 10'000'000'000;
// The recorder should come even where every CPU is taken: its rings would overflow.
constexpr int kDrainNice = -10;

uint64_t BoottimeNowNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1'000'000'000ull + now.tv_nsec;
}

// A size that was asked for and a full disk both come as ResourceExhausted.
EndReason ReasonOf(const absl::Status& error, const SessionWriter& writer) {
  if (!absl::IsResourceExhausted(error)) return EndReason::kError;
  return writer.size_limit_reached() ? EndReason::kSizeLimit : EndReason::kDiskFull;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Recording>> Recording::Start(RecordingOptions options) {
  return NodeRecording::Start(std::move(options));
}

absl::StatusOr<std::unique_ptr<NodeRecording>> NodeRecording::Start(RecordingOptions options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  std::unique_ptr<NodeRecording> recording(new NodeRecording(std::move(options)));
  if (absl::Status status = recording->Prepare(); !status.ok()) return status;
  if (recording->options_.armed) return recording;
  recording->begin_asked_ = true;
  if (absl::Status status = recording->BeginNow(); !status.ok()) return status;
  recording->thread_ = std::thread([r = recording.get()] { r->Run(); });
  return recording;
}

NodeRecording::NodeRecording(RecordingOptions options)
    : options_(std::move(options)), resources_(SystemPaths{}), cgroups_(SystemPaths{}) {}

NodeRecording::~NodeRecording() {
  // Who wants to know how it went calls Stop.
  Stop(EndReason::kAsked).IgnoreError();
}

absl::Status NodeRecording::Prepare() {
  if (absl::Status status = CheckClocksAreTheKernels(SystemPaths{}); !status.ok()) return status;
  KernelOptions kernel = KernelOptionsOf(options_);
  if (absl::Status status = ResolveTargets(kernel); !status.ok()) return status;

  // The folder first: whoever gives a wrong one should not wait for the programs to load. Nothing
  // is in it yet if loading fails, and it is taken away again.
  const bool made_directory = access(options_.directory.c_str(), F_OK) != 0;
  auto writer = SessionWriter::Create(
      options_.directory, {.ring_bytes = options_.ring_bytes, .max_bytes = options_.max_bytes});
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);

  auto programs = KernelPrograms::Attach(kernel);
  if (!programs.ok()) {
    writer_.reset();
    if (made_directory) rmdir(options_.directory.c_str());
    return programs.status();
  }
  programs_ = *std::move(programs);

  std::vector<KernelRing> rings;
  rings.reserve(static_cast<size_t>(programs_->cpus()));
  for (int cpu = 0; cpu < programs_->cpus(); ++cpu) rings.push_back(programs_->ring(cpu));
  drain_ = std::make_unique<RingDrain>(
      std::move(rings), [this](EventBlock& block) { return Write(block); }, options_.counted_calls);
  code_seen_.resize(static_cast<size_t>(programs_->cpus()));
  return absl::OkStatus();
}

absl::Status NodeRecording::BeginNow() {
  begun_ = true;
  attached_boottime_ns_ = BoottimeNowNs();
  start_ns_ = MonotonicNowNs();
  programs_->Begin();
  losses_ = std::make_unique<LossWatch>(programs_->cpus(), start_ns_);
  irq_totals_ = std::make_unique<IrqTotals>(*programs_, start_ns_);

  pb::Session described = DescribeRecording(options_, *programs_, start_ns_);
  described.mutable_targets()->Swap(session_.mutable_targets());
  if (session_.has_node_clock()) *described.mutable_node_clock() = session_.node_clock();
  session_ = std::move(described);

  if (options_.stacks != StackChoice::kOff) stack_names_ = std::make_unique<StackNames>();
  if (programs_->unwind_maps().exist()) {
    unwind_tables_ = std::make_unique<UnwindTables>(programs_->unwind_maps());
    for (const int32_t pid : options_.targets.pids) unwind_tables_->SetTarget(pid);
  }
  writer_->set_identity_snapshot(
      [this](EventBlock& block) { identity_.Describe(MonotonicNowNs(), block); });
  if (absl::Status status = RecordAliveTasks(); !status.ok()) return status;
  pb::ResourceBlock baseline;
  resources_.Sample(start_ns_, baseline);
  irq_totals_->Sample(start_ns_, baseline);
  probes_.Begin(start_ns_);
  next_flush_ns_ = start_ns_ + Ns(options_.flush_interval);
  next_resources_ns_ = start_ns_ + Ns(options_.resource_interval);
  next_clocks_ns_ = start_ns_ + kClocksIntervalNs;
  return WriteNotes(start_ns_);
}

absl::Status NodeRecording::ResolveTargets(KernelOptions& kernel) {
  for (const int32_t pid : options_.targets.pids) {
    const auto process = ReadProcessStat(SystemPaths{}, pid);
    if (!process.ok()) return process.status();
    pb::Target& target = *session_.add_targets();
    target.set_pid(pid);
    target.set_start_time_ns(StartTimeNs(*process));
    target.set_label(absl::StrCat("pid ", pid));
    kernel.target_pids.push_back(pid);
    for (const int32_t descendant : ReadDescendants(SystemPaths{}, pid))
      kernel.target_pids.push_back(descendant);
  }
  for (const std::string& comm : options_.targets.comms) {
    pb::Target& target = *session_.add_targets();
    target.set_comm(comm);
    target.set_label(absl::StrCat("comm ", comm));
  }
  for (const std::string& path : options_.targets.cgroups) {
    const auto id = cgroups_.IdOf(path);
    if (!id.ok()) return id.status();
    pb::Target& target = *session_.add_targets();
    target.set_cgroup_id(*id);
    target.set_label(absl::StrCat("cgroup ", path));
    kernel.target_cgroups.push_back(*id);
  }
  return absl::OkStatus();
}

absl::Status NodeRecording::AddTargetPid(int32_t pid) {
  std::lock_guard lock(mutex_);
  const auto process = ReadProcessStat(SystemPaths{}, pid);
  if (!process.ok()) return process.status();
  pb::Target& target = *session_.add_targets();
  target.set_pid(pid);
  target.set_start_time_ns(StartTimeNs(*process));
  target.set_label(absl::StrCat("pid ", pid));
  if (absl::Status status = programs_->AddTarget(pid); !status.ok()) return status;
  if (unwind_tables_) unwind_tables_->SetTarget(pid);
  for (const int32_t descendant : ReadDescendants(SystemPaths{}, pid))
    if (absl::Status status = programs_->AddTarget(descendant); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status NodeRecording::Begin(uint64_t at_monotonic_ns) {
  const std::lock_guard lock(mutex_);
  if (begin_asked_ || stop_asked_ || finished_) {
    return absl::FailedPreconditionError("it has begun already, or was stopped");
  }
  begin_asked_ = true;
  thread_ = std::thread([this, at_monotonic_ns] { BeginAndRun(at_monotonic_ns); });
  return absl::OkStatus();
}

void NodeRecording::BeginAndRun(uint64_t at_monotonic_ns) {
  {
    std::unique_lock lock(mutex_);
    // libstdc++'s steady clock is CLOCK_MONOTONIC.
    const std::chrono::steady_clock::time_point at(std::chrono::nanoseconds{at_monotonic_ns});
    const bool stopped = wake_.wait_until(lock, at, [this] { return stop_asked_; });
    // Who stops it after its instant gets a session, however short, even if this thread comes late.
    if (stopped && MonotonicNowNs() < at_monotonic_ns) return;
    if (absl::Status status = BeginNow(); !status.ok()) {
      NoteEnd(ReasonOf(status, *writer_), status);
      return;
    }
  }
  Run();
}

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
      NoteEnd(ReasonOf(status, *writer_), status);
      return;
    }
    if (options_.duration != absl::InfiniteDuration() &&
        now_ns - start_ns_ >= Ns(options_.duration)) {
      NoteEnd(EndReason::kDuration, absl::OkStatus());
      return;
    }
    wake_.wait_for(lock, kDrainInterval, [this] { return stop_asked_; });
  }
}

// Called with the lock. Hooks go at once: what nobody drains would only cost.
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

absl::Status NodeRecording::Round(uint64_t now_ns) {
  if (auto drained = drain_->Drain(); !drained.ok()) return drained.status();
  for (size_t cpu = 0; cpu < code_seen_.size(); ++cpu)
    LearnCode(drain_->block(static_cast<int>(cpu)), code_seen_[cpu]);
  probes_.Round(now_ns);
  if (stack_names_) stack_names_->LookAtProcesses(now_ns);
  if (unwind_tables_) unwind_tables_->Round(now_ns);
  if (absl::Status status = KeepPace(now_ns); !status.ok()) return status;
  if (now_ns >= next_flush_ns_) {
    if (absl::Status status = Flush(now_ns); !status.ok()) return status;
    next_flush_ns_ = now_ns + Ns(options_.flush_interval);
  }
  if (now_ns >= next_resources_ns_) {
    if (absl::Status status = WriteResources(SampleResources(now_ns)); !status.ok()) return status;
    // A late round delays its own sample only; of several that were missed one is taken.
    next_resources_ns_ += Ns(options_.resource_interval);
    if (next_resources_ns_ <= now_ns) next_resources_ns_ = now_ns + Ns(options_.resource_interval);
  }
  if (now_ns >= next_clocks_ns_) {
    NoteClocks(session_);
    if (options_.stacks != StackChoice::kOff && options_.ring_bytes > 0)
      programs_->ForgetStacksTold();
    next_clocks_ns_ = now_ns + kClocksIntervalNs;
  }
  if (now_ns >= next_notes_ns_) {
    if (absl::Status status = WriteNotes(now_ns); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status NodeRecording::Flush(uint64_t now_ns) {
  for (int cpu = 0; cpu < programs_->cpus(); ++cpu)
    losses_->Check(cpu, programs_->cpu(cpu), now_ns, drain_->block(cpu));
  if (absl::Status status = drain_->Flush(); !status.ok()) return status;
  return WriteProbes(now_ns);
}

// After the kernel's own events up to now: the births of the threads that speak are among them.
absl::Status NodeRecording::WriteProbes(uint64_t now_ns) {
  probes_.TakeUntil(now_ns, probe_block_);
  return Write(probe_block_);
}

// What is new in the block since the last time. A block may wait for half a second until it is
// written; a process that is met in it may be gone by then.
void NodeRecording::LearnCode(const EventBlock& block, size_t& seen) {
  if (stack_names_) stack_names_->Learn(block, seen);
  if (unwind_tables_ && !ended_) unwind_tables_->Learn(block, MonotonicNowNs(), seen);
  seen = block.events.size();
}

absl::Status NodeRecording::Write(EventBlock& block) {
  if (!block.tasks.empty() || !block.flows.empty())  // most blocks tell of none
    for (const TraceEvent& event : block.events)
      if (event.kind == EventKind::kTask || event.kind == EventKind::kFlow) {
        identity_.Learn(event, block);
        probes_.Learn(event, block);
      }
  // What was being written on another CPU when the recording paused was recorded, too.
  if (window_ends_ && block.cpu != kNoCpu)
    for (const TraceEvent& event : block.events)
      if (event.kind != EventKind::kTask && event.kind != EventKind::kLoss)
        paused_since_ns_ = std::max(paused_since_ns_, event.time_ns);
  size_t nothing_seen = 0;
  size_t& seen = block.cpu < code_seen_.size() ? code_seen_[block.cpu] : nothing_seen;
  LearnCode(block, seen);
  // What was being written on another CPU when the recording ended belongs to it, too.
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
  return block.samples().empty() ? absl::OkStatus() : writer_->AppendResources(block);
}

absl::Status NodeRecording::WriteNotes(uint64_t now_ns) {
  if (paused_) NotePauseUntil(now_ns);
  NoteKernelCounters(*programs_, session_);
  if (unwind_tables_)
    NoteUnwindCounters(programs_->unwind_maps(), unwind_tables_->counters(), session_);
  NoteProbeCounters(probes_.counts(), session_);
  SetCounter(session_, "resource_samples_missed", resources_.samples_missed());
  SetCounter(session_, "time_inversions_sorted", writer_->time_inversions_sorted());
  SetCounter(session_, "events_not_written", not_written_);
  SetCounter(session_, "records_unknown", drain_->malformed());
  SetCounter(session_, "stacks_without_number", drain_->stacks_without_number());
  SetCounter(session_, "flows_forgotten", identity_.flows_forgotten());
  SetCounter(session_, "recording_pauses", static_cast<uint64_t>(session_.pauses_size()));
  SetCounter(session_, "ring_events_given_way", writer_->events_dropped_by_ring());
  cgroups_.Refresh();
  cgroups_.Fill(session_);
  session_.set_end_time_ns(now_ns);
  next_notes_ns_ = now_ns + kNotesIntervalNs;
  return writer_->WriteSession(session_);
}

absl::StatusOr<RecordingStatus> NodeRecording::Stop(EndReason reason) {
  {
    std::lock_guard lock(mutex_);
    if (finished_) return StatusLocked();
    stop_asked_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (unwind_tables_) unwind_tables_->Stop();  // may wait for a file that is being read
  std::unique_lock lock(mutex_);
  finished_ = true;
  if (!programs_ || !drain_) return StatusLocked();  // it never started
  if (!begun_) {
    programs_->Detach();
    return StatusLocked();
  }
  if (!ended_) NoteEnd(reason, absl::OkStatus());
  absl::Status status = Finish();
  if (!status.ok() && error_.ok()) {
    error_ = status;
    end_reason_ = ReasonOf(status, *writer_);
  }
  if (error_.ok() && stack_names_) {
    // Takes its time: whoever asks how the recording does shall not wait for it.
    lock.unlock();
    NameCode();
    lock.lock();
    WriteNotes(end_ns_).IgnoreError();  // what stands there without the counters of names is whole
  }
  return StatusLocked();
}

// What is on disk is complete without names, and stays so whatever goes wrong here. Only called
// when the drain has ended.
void NodeRecording::NameCode() {
  absl::Status status = writer_->WriteSymbols(stack_names_->Images());
  if (status.ok()) {
    const pb::Symbols symbols = stack_names_->Name();
    for (const pb::SymbolCounter& counter : symbols.counters())
      AddCounter(session_, counter.name(), counter.value());
    status = writer_->WriteSymbols(symbols);
  }
  SetCounter(session_, "stacks_left_unnamed", stack_names_->stacks_left_out());
  SetCounter(session_, "symbols_processes_gone", stack_names_->processes_gone());
  SetCounter(session_, "symbols_not_written", status.ok() ? 0 : 1);
}

// What is still in the rings, then the last word about the session.
absl::Status NodeRecording::Finish() {
  absl::Status status = error_;
  discard_ = !status.ok();  // what can no longer be written is still counted
  const absl::Status drained = drain_->Drain().status();
  const absl::Status flushed = drained.ok() ? Flush(end_ns_) : drained;
  if (status.ok()) status = flushed;
  // Once more, now that everybody's end is known: who ended just now may have left last words.
  probes_.LastRound(MonotonicNowNs());
  const absl::Status said = WriteProbes(end_ns_);
  probes_.End(MonotonicNowNs());
  if (status.ok()) status = said;
  if (status.ok()) status = WriteResources(last_resources_);
  NoteClocks(session_);
  // A recording that ended for want of room is complete as far as it goes; one that failed is not.
  session_.set_complete(status.ok() || absl::IsResourceExhausted(status));
  session_.set_end_reason(EndReasonText(status.ok() ? end_reason_ : ReasonOf(status, *writer_)));
  const absl::Status written = WriteNotes(end_ns_);
  return status.ok() ? written : status;
}

absl::Status NodeRecording::Snapshot(const std::string& directory) {
  std::lock_guard lock(mutex_);
  if (!begun_) return absl::FailedPreconditionError("the recording has not begun");
  if (ended_ || finished_)
    return absl::FailedPreconditionError(
        "the recording has ended; its folder can be read as it is");
  const uint64_t now_ns = MonotonicNowNs();
  if (auto drained = drain_->Drain(); !drained.ok()) return drained.status();
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
