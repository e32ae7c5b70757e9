// SPDX-License-Identifier: Apache-2.0
// How a recording is prepared, its targets, and how it begins.
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/recording/kernel_options.h"
#include "recorder/recording/node_recording.h"
#include "recorder/recording/session_notes.h"
#include "recorder/sources/clock.h"
#include "recorder/sources/named_groups.h"
#include "recorder/sources/process.h"
#include "recorder/sources/rights.h"
#include "recorder/sources/time_namespace.h"
#include "trace/own_folder.h"

namespace gordian {
namespace {

uint64_t BoottimeNowNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1'000'000'000ull + now.tv_nsec;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Recording>> Recording::Start(RecordingOptions options) {
  return NodeRecording::Start(std::move(options));
}

absl::StatusOr<std::unique_ptr<NodeRecording>> NodeRecording::Start(RecordingOptions options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  const uint64_t before_ns = ThreadCpuNs();
  std::unique_ptr<NodeRecording> recording(new NodeRecording(std::move(options)));
  if (absl::Status status = recording->Prepare(); !status.ok()) return status;
  if (recording->options_.armed) {
    recording->start_own_ns_ = ThreadCpuNs() - before_ns;
    return recording;
  }
  recording->begin_asked_ = true;
  if (absl::Status status = recording->BeginNow(); !status.ok()) return status;
  recording->start_own_ns_ = ThreadCpuNs() - before_ns;
  recording->thread_ = std::thread([r = recording.get()] { r->Run(); });
  return recording;
}

NodeRecording::NodeRecording(RecordingOptions options)
    : options_(std::move(options)),
      resources_(SystemPaths{}),
      cgroups_(SystemPaths{}),
      budget_share_(options_.budget_share) {
  if (options_.budget_share <= 0) return;
  std::shared_ptr<RecorderCpu> cpu = options_.cpu;
  // A COMMAND is a child of this process, too. Its time is known when it has ended, and with it the
  // recording.
  if (!cpu) cpu = RecorderCpu::Make([] { return ProcessCpuNs(true); });
  cpu_share_ = cpu->Join();
}

NodeRecording::~NodeRecording() {
  // A caller that wants the result calls Stop.
  Stop(EndReason::kAsked).IgnoreError();
}

absl::Status NodeRecording::Prepare() {
  if (absl::Status status = CheckMayRecord(ReadRights(SystemPaths{})); !status.ok()) return status;
  if (absl::Status status = CheckClocksAreTheKernels(SystemPaths{}); !status.ok()) return status;
  KernelOptions kernel = KernelOptionsOf(options_);
  if (absl::Status status = ResolveTargets(kernel); !status.ok()) return status;

  // The folder first: a user with a wrong folder should not wait for the programs to load. If
  // loading fails, the folder is still empty and is taken away again.
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
      std::move(rings), [this](EventBlock& block) { return Write(block); }, options_.counted_calls,
      OwnNetworkNamespace());
  code_seen_.resize(static_cast<size_t>(programs_->cpus()));
  return absl::OkStatus();
}

absl::Status NodeRecording::BeginNow() {
  begun_ = true;
  attached_boottime_ns_ = BoottimeNowNs();
  start_ns_ = MonotonicNowNs();
  suspends_.emplace(SleptSinceBootNs());
  programs_->Begin();
  watermark_.emplace([programs = programs_.get()] { return programs->AwaitRunning(); });
  losses_ = std::make_unique<LossWatch>(programs_->cpus(), start_ns_);
  irq_totals_ = std::make_unique<IrqTotals>(*programs_, start_ns_);

  pb::Session described = DescribeRecording(options_, *programs_, start_ns_);
  described.mutable_targets()->Swap(session_.mutable_targets());
  if (session_.has_node_clock()) *described.mutable_node_clock() = session_.node_clock();
  session_ = std::move(described);

  const SymbolPaths paths = {.cache = CacheFolder()};
  if (options_.stacks != StackChoice::kOff) stack_names_ = std::make_unique<StackNames>(paths);
  if (programs_->unwind_maps().exist()) {
    unwind_tables_ = std::make_unique<UnwindTables>(programs_->unwind_maps(), paths);
    if (options_.budget_share <= 0) unwind_tables_->ReadAtOnce();
    for (const int32_t pid : options_.targets.pids) unwind_tables_->SetTarget(pid);
  }
  writer_->set_identity_snapshot(
      [this](EventBlock& block) { identity_.Describe(MonotonicNowNs(), StatesNow(), block); });
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
  std::vector<std::string> groups = options_.targets.cgroups;
  auto named = FindNamedGroups();
  if (!named.ok()) return named.status();
  groups.insert(groups.end(), named->begin(), named->end());
  for (const std::string& path : groups) {
    const auto id = cgroups_.IdOf(path);
    if (!id.ok()) return id.status();
    pb::Target& target = *session_.add_targets();
    target.set_cgroup_id(*id);
    target.set_label(absl::StrCat("cgroup ", path));
    kernel.target_cgroups.push_back(*id);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> NodeRecording::FindNamedGroups() {
  const NamedTargets& wanted = options_.targets.named;
  if (wanted.empty()) return std::vector<std::string>();
  if (cgroups_.mount().empty()) return cgroups_.IdOf("/").status();
  // A daemon in a container has the host's files nowhere else.
  return GroupsOf(wanted, ReadNamedPlaces(wanted, HostRoot(), cgroups_.Paths(), cgroups_.mount()));
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
    // A stop after its instant gives a session, however short, even if this thread comes late.
    if (stopped && MonotonicNowNs() < at_monotonic_ns) return;
    if (absl::Status status = BeginNow(); !status.ok()) {
      NoteEnd(ReasonOf(status), status);
      return;
    }
  }
  Run();
}

}  // namespace gordian
