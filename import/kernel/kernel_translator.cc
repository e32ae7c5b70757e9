// SPDX-License-Identifier: Apache-2.0
// Scheduling, interrupts and disks. The threads' identities and the account of the whole are in
// kernel_identity.cc.
#include "import/kernel/kernel_translator.h"

#include <algorithm>

#include "fmt/format.h"

namespace gordian {
namespace {

constexpr uint16_t kTimerSoftirq = 1;
constexpr uint16_t kNetReceiveSoftirq = 3;
constexpr uint16_t kHrtimerSoftirq = 8;

// The bits of the scheduler's report differ from the kernel's own in two: a dying thread's and that
// of a kernel thread without work.
uint32_t StateOf(uint32_t reported) {
  constexpr uint32_t kReportedIdle = 0x80;
  constexpr uint32_t kReportedDead = kStateExitDead | kStateExitZombie;
  if ((reported & kReportedDead) != 0) return kStateDead;
  if ((reported & kReportedIdle) != 0) return kStateIdle;
  return reported & 0x7f;
}

bool IsOfIdentity(KernelEventKind kind) {
  return kind == KernelEventKind::kBirth || kind == KernelEventKind::kExec ||
         kind == KernelEventKind::kExit;
}

TraceEvent EventAt(const KernelEvent& event, EventKind kind) {
  return TraceEvent{.time_ns = event.time_ns, .kind = kind, .cpu = event.cpu};
}

}  // namespace

absl::Status KernelTranslator::Take(const KernelEvent& event) {
  if (event.cpu > kMaxKernelCpu)
    return absl::InvalidArgumentError(
        fmt::format("CPU {} is beyond the highest, {}", event.cpu, kMaxKernelCpu));
  if (event.tid < 0 || event.other_tid < 0)
    return absl::InvalidArgumentError("a thread's number is negative");
  if (event.time_ns > INT64_MAX)
    return absl::InvalidArgumentError(fmt::format("time {} is too late", event.time_ns));
  if (event.kind == KernelEventKind::kThread) return Fact(event);  // no event of its CPU
  if (!any_ && IsOfIdentity(event.kind)) return NoteIdentity(event);
  if (!any_) {
    any_ = true;
    first_time_ns_ = event.time_ns;
    if (absl::Status status = TellKnownThreads(); !status.ok()) return status;
  }
  time_ns_ = event.time_ns;
  absl::Status status;
  switch (event.kind) {
    case KernelEventKind::kSwitch:
      status = Switch(event);
      break;
    case KernelEventKind::kRunning:
      status = Running(event);
      break;
    case KernelEventKind::kWaking:
    case KernelEventKind::kWakeup:
    case KernelEventKind::kWakeupNew:
      status = Wake(event);
      break;
    case KernelEventKind::kBirth:
      status = Birth(event);
      break;
    case KernelEventKind::kExec:
      status = Exec(event);
      break;
    case KernelEventKind::kExit:
      status = Exit(event);
      break;
    case KernelEventKind::kThread:
      break;  // above
    case KernelEventKind::kHardirqEntry:
      status = Enter(event, WakeContext::kHardirq);
      break;
    case KernelEventKind::kHardirqExit:
      status = Leave(event, WakeContext::kHardirq);
      break;
    case KernelEventKind::kSoftirqEntry:
      status = Enter(event, WakeContext::kSoftirq);
      break;
    case KernelEventKind::kSoftirqExit:
      status = Leave(event, WakeContext::kSoftirq);
      break;
    case KernelEventKind::kTimerEntry:
      status = Enter(event, WakeContext::kTimer);
      break;
    case KernelEventKind::kTimerExit:
      status = Leave(event, WakeContext::kTimer);
      break;
    case KernelEventKind::kBlockIssue:
    case KernelEventKind::kBlockComplete:
      status = Block(event);
      break;
    case KernelEventKind::kSample:
      status = Sample(event);
      break;
    case KernelEventKind::kLost:
      status = Lost(event);
      break;
  }
  Cpu(event).last_time_ns = event.time_ns;
  return status;
}

KernelTranslator::CpuState& KernelTranslator::Cpu(const KernelEvent& event) {
  if (cpus_.size() <= event.cpu) cpus_.resize(event.cpu + size_t{1});
  return cpus_[event.cpu];
}

int32_t KernelTranslator::CurrentTid(const KernelEvent& event) {
  if (event.current_tid >= 0) return event.current_tid;
  return std::max(0, Cpu(event).running_tid);
}

absl::Status KernelTranslator::Switch(const KernelEvent& event) {
  if (absl::Status status = See(event, event.tid, event.name); !status.ok()) return status;
  if (absl::Status status = See(event, event.other_tid, event.other_name); !status.ok())
    return status;
  CpuState& cpu = Cpu(event);
  if (cpu.running_tid >= 0 && cpu.running_tid != event.tid) Count("import_switches_inconsistent");
  cpu.running_tid = event.other_tid;
  // No switch happens in an interrupt: the end of what is still open was lost.
  if (!cpu.open.empty()) Count("import_interrupts_unmatched", cpu.open.size());
  cpu.open.clear();
  TraceEvent told = EventAt(event, EventKind::kSwitch);
  told.sched_switch = SwitchEvent{.prev_tid = event.tid, .next_tid = event.other_tid};
  if (event.tid != 0) {
    told.sched_switch.prev_state = StateOf(event.value);
    told.sched_switch.preempted = (event.value & kReportPreempted) != 0;
  }
  if (const auto next = threads_.find(event.other_tid); next != threads_.end()) {
    next->second.fresh = false;
    next->second.waking = false;
  }
  if (absl::Status status = buffers_.Add(told); !status.ok()) return status;
  const bool waits = !told.sched_switch.preempted && told.sched_switch.prev_state != kStateRunning;
  return waits ? TellStack(event, event.tid, StackMoment::kWait) : absl::OkStatus();
}

absl::Status KernelTranslator::Sample(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  if (absl::Status status = See(event, event.tid, event.name); !status.ok()) return status;
  return TellStack(event, event.tid, StackMoment::kCpu);
}

absl::Status KernelTranslator::TellStack(const KernelEvent& event, int32_t tid,
                                         StackMoment moment) {
  if (event.stack == 0 || event.stack > stacks_.size() || tid == 0) return absl::OkStatus();
  if (told_stacks_.size() <= event.stack) told_stacks_.resize(stacks_.size() + size_t{1});
  if (!told_stacks_[event.stack]) {
    told_stacks_[event.stack] = true;
    absl::Status status = buffers_.AddStack(event.cpu, event.time_ns, stacks_[event.stack].record);
    if (!status.ok()) return status;
  }
  TraceEvent told = EventAt(event, EventKind::kStackSample);
  told.stack_sample = StackSampleEvent{.stack_id = event.stack, .tid = tid, .moment = moment};
  return buffers_.Add(told);
}

absl::Status KernelTranslator::Running(const KernelEvent& event) {
  Count("import_switches_without_thread");
  CpuState& cpu = Cpu(event);
  cpu.running_tid = event.tid;
  cpu.open.clear();
  return See(event, event.tid, event.name);
}

// A thread's waking is told where its waker runs, and then again where it shall run, often by an
// interrupt. The first of both is the better one.
absl::Status KernelTranslator::Wake(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  if (absl::Status status = See(event, event.tid, event.name); !status.ok()) return status;
  Thread& wakee = threads_[event.tid];
  if (event.kind == KernelEventKind::kWakeup) {
    if (std::exchange(wakee.waking, false)) return absl::OkStatus();
    Count("import_wakes_told_late");
  }
  wakee.waking = event.kind == KernelEventKind::kWaking;
  TraceEvent told = EventAt(event, EventKind::kWake);
  told.wake = WakeEvent{.wakee_tid = event.tid, .waker_tid = CurrentTid(event)};
  if (absl::Status status = SeeCurrent(event, told.wake.waker_tid); !status.ok()) return status;
  if (event.current_tid < 0 && Cpu(event).running_tid < 0) {
    // Nothing tells who ran.
    Count("import_wakes_context_unknown");
    told.wake.waker_is_cause = false;
    told.wake.context = WakeContext::kHardirq;
    told.wake.vector = kUntoldIrq;
  } else {
    TellCause(event, told.wake);
  }
  ++wakes_;
  if (absl::Status status = buffers_.Add(told); !status.ok()) return status;
  // In an interrupt the stack is that of a thread that it only met.
  if (!told.wake.waker_is_cause) return absl::OkStatus();
  return TellStack(event, told.wake.waker_tid, StackMoment::kWake);
}

// The innermost interrupt that is open did it. Some have no entry in the trace: then only the
// event's own flags tell that it was one.
void KernelTranslator::TellCause(const KernelEvent& event, WakeEvent& wake) {
  std::vector<OpenInterrupt>& open = Cpu(event).open;
  const bool told = (event.context & KernelEvent::kToldFlags) != 0;
  const bool hard = (event.context & KernelEvent::kInHardirq) != 0;
  const bool soft = (event.context & KernelEvent::kInSoftirq) != 0;
  const bool open_is_hard = !open.empty() && open.back().context != WakeContext::kSoftirq;
  if (!told && open.empty()) {
    if (event.kind != KernelEventKind::kWakeupNew) Count("import_wakes_context_unknown");
    return;
  }
  if (told && !hard && !soft) return;
  wake.waker_is_cause = false;
  if (open.empty() || (hard && !open_is_hard)) {
    wake.context = WakeContext::kHardirq;
    wake.vector = kUntoldIrq;
    Count("import_wakes_interrupt_untold");
    return;
  }
  OpenInterrupt& by = open.back();
  by.woke = true;
  wake.context = by.context;
  wake.vector = by.vector;
  if (by.context == WakeContext::kSoftirq) {
    if (by.vector == kTimerSoftirq || by.vector == kHrtimerSoftirq)
      wake.context = WakeContext::kTimer;
    if (by.vector == kNetReceiveSoftirq) Count("import_wakes_by_untold_packets");
  }
  if (!by.has_disk) return;
  wake.device_kind = DeviceKind::kDisk;
  wake.device = by.disk;
}

absl::Status KernelTranslator::Enter(const KernelEvent& event, WakeContext context) {
  any_interrupts_ = true;
  std::vector<OpenInterrupt>& open = Cpu(event).open;
  if (open.size() == kMaxOpenInterrupts) {
    Count("import_interrupts_unmatched", open.size());
    open.clear();
  }
  open.push_back({.context = context,
                  .vector = static_cast<uint16_t>(std::min<uint32_t>(event.value, kUntoldIrq)),
                  .entry_time_ns = event.time_ns});
  return absl::OkStatus();
}

// What was entered after it, and never left, was lost.
absl::Status KernelTranslator::Leave(const KernelEvent& event, WakeContext context) {
  any_interrupts_ = true;
  std::vector<OpenInterrupt>& open = Cpu(event).open;
  const auto vector = static_cast<uint16_t>(std::min<uint32_t>(event.value, kUntoldIrq));
  const auto found = std::find_if(open.rbegin(), open.rend(), [&](const OpenInterrupt& entered) {
    return entered.context == context && entered.vector == vector;
  });
  if (found == open.rend()) {
    Count("import_interrupts_unmatched");
    return absl::OkStatus();
  }
  if (found != open.rbegin()) Count("import_interrupts_unmatched", found - open.rbegin());
  const OpenInterrupt entered = *found;
  open.erase(found.base() - 1, open.end());
  if (context == WakeContext::kTimer) {
    // It is a part of an interrupt's run, which tells of it.
    if (!open.empty()) open.back().woke |= entered.woke;
    return absl::OkStatus();
  }
  TraceEvent told = EventAt(event, EventKind::kIrqRun);
  told.irq_run = IrqRunEvent{.duration_ns = event.time_ns - entered.entry_time_ns,
                             .vector = vector,
                             .hard = context == WakeContext::kHardirq,
                             .woke = entered.woke};
  return buffers_.Add(told);
}

absl::Status KernelTranslator::Block(const KernelEvent& event) {
  any_disks_ = true;
  disks_.insert(event.value);
  const bool issue = event.kind == KernelEventKind::kBlockIssue;
  TraceEvent told = EventAt(event, issue ? EventKind::kBlockIssue : EventKind::kBlockComplete);
  told.block = BlockEvent{.sector = event.number,
                          .device = event.value,
                          .bytes = event.count,
                          .operation = static_cast<BlockOperation>(event.operation)};
  const std::pair<uint32_t, uint64_t> key(event.value, event.number);
  if (issue) {
    told.block.tid = CurrentTid(event);
    if (absl::Status status = SeeCurrent(event, told.block.tid); !status.ok()) return status;
    if (requests_.size() < kMaxRequests)
      requests_.insert_or_assign(key, OpenRequest{told.block.tid, event.time_ns});
    return buffers_.Add(told);
  }
  if (const auto request = requests_.find(key); request != requests_.end()) {
    told.block.tid = request->second.tid;
    told.block.service_ns = event.time_ns - request->second.issue_time_ns;
    requests_.erase(request);
  } else {
    Count("import_disk_done_unmatched");
  }
  if (std::vector<OpenInterrupt>& open = Cpu(event).open; !open.empty()) {
    open.back().has_disk = true;
    open.back().disk = event.value;
  }
  return buffers_.Add(told);
}

absl::Status KernelTranslator::Lost(const KernelEvent& event) {
  const uint64_t count = std::max(event.count, 1u);
  Count("import_events_lost", count);
  CpuState& cpu = Cpu(event);
  cpu.open.clear();
  cpu.running_tid = -1;
  TraceEvent told = EventAt(event, EventKind::kLoss);
  // The kind of what is missing is not known. Without switches all else hangs in the air.
  told.loss = LossEvent{
      .duration_ns = event.time_ns - (cpu.last_time_ns == 0 ? first_time_ns_ : cpu.last_time_ns),
      .count = count,
      .kind = EventKind::kSwitch};
  return buffers_.Add(told);
}

}  // namespace gordian
