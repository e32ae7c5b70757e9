// SPDX-License-Identifier: Apache-2.0
// The kernel side of one recording: its BPF programs loaded and attached, its rings, and the state
// it shares.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bpf/events.h"
#include "recorder/attach/hooks.h"
#include "recorder/attach/kernel_ring.h"
#include "recorder/attach/left_out.h"

struct bpf_link;
struct bpf_prog_info;
struct gordian_bpf;

namespace gordian {

struct KernelOptions {
  std::optional<Backend> backend;  // empty: the cheapest that loads
  uint64_t ring_bytes_per_cpu = 8u << 20;
  uint64_t irq_threshold_ns = 100'000;
  gd_stack_mode stacks = GD_STACKS_OFF;
  uint64_t stack_budget_ns = 300'000;  // of 100 ms of a CPU, for sampled stacks of waits and wakes
  uint32_t sample_hz = 0;              // of running threads, with stacks; 0: no samples
  bool commands = false;               // processes' command lines and working directories at exec
  LocalMessageChoice local_messages;
  std::vector<std::string> counted_calls;  // system calls, by name; GD_COUNTED_CALLS at most
  bool only_targets = false;
  std::vector<int32_t> target_pids;
  std::vector<std::string> target_comms;
  std::vector<uint64_t> target_cgroups;
  uint32_t test_window_rounds = 0;  // tests alone: bpf/state.bpf.h
};

struct AttachedHook {
  std::string event;
  std::string attached;
};

// Maps by which the kernel side follows user stacks (bpf/unwind_tables.h); -1 and null without
// stacks, and on machines whose tables are not read. Valid as long as the programs are.
struct UnwindMaps {
  int processes = -1;
  int mappings = -1;
  int chunks = -1;
  int32_t* missed = nullptr;         // GD_UNWIND_MISSES
  const uint64_t* counts = nullptr;  // GD_UNWIND_COUNTS

  bool exist() const { return processes >= 0; }
};

struct HardirqTotal {
  uint32_t cpu;
  uint32_t irq;
  gd_run_total total;
};

class KernelPrograms {
 public:
  static absl::StatusOr<std::unique_ptr<KernelPrograms>> Attach(const KernelOptions& options);
  ~KernelPrograms();
  KernelPrograms(const KernelPrograms&) = delete;
  KernelPrograms& operator=(const KernelPrograms&) = delete;

  // Attached programs write nothing until Begin, and nothing after End (except records being
  // written at that moment): all kinds of events begin and end together.
  void Begin();
  void End();

  // The kernel accounts for programs' time only on request (bpf_enable_stats). Gives the time of
  // all programs between the two calls; false without a request, or if nothing ran.
  void BeginAccount();
  bool EndAccount(uint64_t& run_ns);

  // Detaches the dear ones: those that took more than a hundredth of the last account, or all
  // without an account. Never detaches programs for births, names and deaths of threads, which go
  // on being recorded, nor those that keep the state for user stacks.
  void Pause();
  // Attaches them again, as they were; Begin lets them write. Requests to disks that were issued
  // before now_ns may be other ones by now. After an error no hook can be trusted.
  absl::Status Resume(uint64_t now_ns);
  // The part of the last account of the programs that stay attached.
  double share_in_pauses() const { return share_in_pauses_; }

  std::string_view backend() const { return BackendName(backend_); }
  const std::vector<AttachedHook>& hooks() const { return hooks_; }

  // How many CPUs there may be.
  int cpus() const { return cpus_; }
  bool has_ring(int cpu) const;  // not, if it was offline at the start
  // Valid as long as the programs are; one reader at a time.
  KernelRing ring(int cpu) const;
  // Counters of one CPU, as the programs last left them.
  const gd_cpu& cpu(int index) const;

  // Every thread alive now. With only_targets it also settles which threads are targets.
  absl::StatusOr<std::vector<gd_task>> ReadAliveTasks();
  std::vector<HardirqTotal> ReadHardirqTotals() const;
  // Makes a thread a target for --only; its threads and children to come inherit that.
  absl::Status AddTarget(int32_t tid);

  // Stacks that were due and could not be taken.
  uint64_t CountStacksNotTaken() const;
  const gd_test_windows& test_windows() const;
  // Makes the programs define every stack again when they next meet it: a flight recorder's
  // definitions give way with the rest.
  void ForgetStacksTold();

  UnwindMaps unwind_maps() const;

  // The programs that the kernel left out, because another one (or the same) was already running on
  // that CPU, since Begin. Those without any are not among them.
  std::vector<LeftOut> CountLeftOut() const;

  // Waits, some milliseconds mostly, until each program that was running on any CPU at the call has
  // ended: what they recorded is whole then. False if the kernel cannot be asked. May be called
  // beside any other.
  bool AwaitRunning() const;

  // Calls End, if that was not done; no program runs after this. Rings and counters stay readable.
  void Detach();

 private:
  KernelPrograms() = default;
  absl::Status Load(const KernelOptions& options, Backend backend);
  void SizeRings(uint64_t bytes_per_cpu);
  absl::Status MapRings();
  absl::Status FillTargets(const KernelOptions& options);
  absl::Status AttachHook(const Hook& hook);
  absl::Status AttachLocalMessages(std::span<const Hook> hooks);
  absl::Status AttachCpuSampler();
  absl::Status AttachCallCounters();
  absl::Status AttachCandidate(const Candidate& candidate, bool in_pauses);
  struct Link;
  void DetachLink(Link& link);
  bpf_link* AttachOne(const Attachment& attachment) const;
  // The kernel's account of each loaded program.
  void ForEachLoaded(
      const std::function<void(std::string_view name, const bpf_prog_info& info)>& look) const;
  std::map<std::string, uint64_t> RunTimesNs() const;  // by program

  Backend backend_ = Backend::kTracepoint;
  gordian_bpf* skeleton_ = nullptr;
  // The attachments: a hook's programs, to be attached again as they are; or, with no program, the
  // sampler and the counters of calls.
  struct Link {
    Attachment attachment;
    bool in_pauses = false;
    bpf_link* link = nullptr;  // null while the recording pauses
    bool dear = true;
  };
  std::vector<Link> links_;
  std::map<std::string, uint64_t> hits_missed_;      // by program, of links that are gone
  std::map<std::string, uint64_t> left_out_before_;  // by program, before the first Begin
  bool begun_ = false;
  uint32_t sample_hz_ = 0;
  std::vector<std::string> counted_calls_;
  std::map<std::string, uint64_t> run_before_ns_;  // by program, when the account was begun
  double share_in_pauses_ = 0;
  std::vector<AttachedHook> hooks_;
  int cpus_ = 0;
  std::vector<int> online_;  // CPUs that have a ring, in order
  KernelRing::Shape ring_shape_;
  char* ring_memory_ = nullptr;
  size_t ring_memory_bytes_ = 0;
  bool only_targets_ = false;
  bool has_stacks_ = false;
};

}  // namespace gordian
