// SPDX-License-Identifier: Apache-2.0
// Events of a kernel's trace, in order of time → events of a session, and its account of what such
// a trace lacks.
//
// State per CPU (the running thread, the open interrupts), per thread, and per disk request in
// flight; nothing grows with the length of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "import/event_buffers.h"
#include "import/kernel/kernel_event.h"
#include "import/kernel/kernel_stacks.h"
#include "schema/session.pb.h"

namespace gordian {

class KernelTranslator {
 public:
  static constexpr uint16_t kMaxKernelCpu = 8191;
  static constexpr size_t kMaxKernelThreads = 4u << 20;  // the kernel's own limit
  static constexpr size_t kMaxOpenInterrupts = 64;
  static constexpr size_t kMaxRequests = 1u << 20;
  // The number of an interrupt that the trace does not name.
  static constexpr uint16_t kUntoldIrq = 0xffff;

  // `names` and `stacks` must outlive it.
  KernelTranslator(BlockSink sink, const KernelNames& names, const KernelStacks& stacks)
      : buffers_(std::move(sink)), names_(names), stacks_(stacks) {}

  // InvalidArgument, with the reason, for an event that cannot be; any other error is the sink's.
  absl::Status Take(const KernelEvent& event);

  // Tells the name of an interrupt's number.
  void NameIrq(uint32_t number, std::string_view name);

  // Hands on the events still held and adds the account of the recording to `session`.
  absl::Status Finish(pb::Session& session);

  uint64_t events() const { return buffers_.events(); }

 private:
  struct OpenInterrupt {
    WakeContext context = WakeContext::kSoftirq;
    uint16_t vector = 0;
    bool woke = false;
    bool has_disk = false;
    uint32_t disk = 0;  // a request of which ended in it
    uint64_t entry_time_ns = 0;
  };
  struct CpuState {
    int32_t running_tid = -1;  // -1: no switch seen yet
    uint64_t last_time_ns = 0;
    std::vector<OpenInterrupt> open;
  };
  struct Thread {
    int32_t tgid = 0;  // 0: not told
    int32_t parent_tid = 0;
    uint64_t start_time_ns = 0;  // 0: before the trace began
    uint32_t name = 0;
    bool told = false;   // by a record of its identity
    bool fresh = false;  // born, and has not run yet
    bool ended = false;
    bool waking = false;  // its wake was told, and not yet that it stood in a queue
  };
  struct OpenRequest {
    int32_t tid = 0;
    uint64_t issue_time_ns = 0;
  };

  absl::Status Switch(const KernelEvent& event);
  absl::Status Running(const KernelEvent& event);
  absl::Status Wake(const KernelEvent& event);
  absl::Status Birth(const KernelEvent& event);
  Thread BornBy(const KernelEvent& event) const;
  absl::Status Exec(const KernelEvent& event);
  absl::Status Exit(const KernelEvent& event);
  absl::Status Fact(const KernelEvent& event);
  // Some recorders tell of threads some time before they tell what these do: the recording begins
  // with the latter.
  absl::Status NoteIdentity(const KernelEvent& event);
  // Those that facts before the first event told of, whose time is not known before.
  absl::Status TellKnownThreads();
  absl::Status Enter(const KernelEvent& event, WakeContext context);
  absl::Status Leave(const KernelEvent& event, WakeContext context);
  absl::Status Block(const KernelEvent& event);
  absl::Status Lost(const KernelEvent& event);

  absl::Status Sample(const KernelEvent& event);
  // Where in its code `tid` was, and the stack itself when it is met first.
  absl::Status TellStack(const KernelEvent& event, int32_t tid, StackMoment moment);
  void TellCause(const KernelEvent& event, WakeEvent& wake);
  // Takes note that there is such a thread, and its name. 0 is the idle thread: nothing.
  absl::Status See(const KernelEvent& event, int32_t tid, uint32_t name);
  // Likewise of the thread on the CPU. Some recorders tell its name as it was when they ended: it
  // counts only if it has no other.
  absl::Status SeeCurrent(const KernelEvent& event, int32_t tid);
  absl::Status ThreadOf(int32_t tid, Thread*& thread);
  TaskRecord Identity(TaskChange change, int32_t tid, const Thread& thread) const;
  void Count(std::string_view name, uint64_t value = 1);
  CpuState& Cpu(const KernelEvent& event);
  int32_t CurrentTid(const KernelEvent& event);

  EventBuffers buffers_;
  const KernelNames& names_;
  const KernelStacks& stacks_;
  std::vector<bool> told_stacks_;
  std::map<std::string_view, uint64_t> counts_;  // by counters' names
  std::vector<CpuState> cpus_;
  absl::flat_hash_map<int32_t, Thread> threads_;
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, OpenRequest> requests_;
  absl::flat_hash_set<uint32_t> disks_;
  absl::flat_hash_map<uint32_t, std::string> irqs_;

  bool any_ = false;
  bool any_interrupts_ = false;
  bool any_disks_ = false;
  uint64_t first_time_ns_ = 0;
  uint64_t time_ns_ = 0;
  uint64_t wakes_ = 0;
};

}  // namespace gordian
