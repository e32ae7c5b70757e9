// SPDX-License-Identifier: Apache-2.0
// What threads do: they wait for a CPU, a lock or the disk, work, and hand on.
#include <algorithm>
#include <bit>
#include <utility>

#include "bench/simulated_run.h"

namespace gordian {
namespace {

constexpr uint16_t kBlockVector = 4;

}  // namespace

void ClusterSimulation::Act(const SimulatedDue& due) {
  switch (due.what) {
    case SimulatedDue::What::kBegin:
      return Start(due.subject);
    case SimulatedDue::What::kDispatch:
      return Dispatch(static_cast<int>(due.subject / 64), static_cast<int>(due.subject % 64));
    case SimulatedDue::What::kWorked:
      return Worked(due.subject);
    case SimulatedDue::What::kArrive:
      return Arrive(due);
    case SimulatedDue::What::kAgain:
      return SendAgain(due);
    case SimulatedDue::What::kDiskDone:
      return DiskDone(due);
  }
}

void ClusterSimulation::Start(uint32_t thread) {
  const int cpu =
      static_cast<int>(places_.LaneOf(thread) % static_cast<uint32_t>(shape_.cpus_per_node));
  Wake(thread, cpu, {.context = WakeContext::kTimer, .waker_is_cause = false}, now_ns_);
  threads_[thread].step = SimulatedStep::kBegin;
}

uint64_t ClusterSimulation::Wake(uint32_t thread, int cpu, WakeEvent wake, uint64_t time_ns) {
  SimulatedRecorder& recorder = RecorderOf(thread);
  SimulatedNode& node = NodeOf(thread);
  Resume(thread, time_ns);
  const uint64_t woken_ns = recorder.Stamp(time_ns);
  if (TraceEvent* event = Add(EventKind::kWake, thread, cpu, woken_ns)) {
    const uint32_t running = node.running[static_cast<size_t>(cpu)];
    wake.wakee_tid = places_.TidOf(thread);
    wake.waker_tid = running == kNobodyRuns ? 0 : places_.TidOf(running);
    event->wake = wake;
  }
  threads_[thread].since_ns = woken_ns;
  Push(node.ready, thread);
  if (node.idle != 0) {
    const int idle = std::countr_zero(node.idle);
    node.idle &= node.idle - 1;
    Plan(woken_ns + kDispatchNs,
         {.subject = static_cast<uint32_t>(places_.NodeOf(thread) * 64 + idle),
          .what = SimulatedDue::What::kDispatch});
  }
  return woken_ns;
}

void ClusterSimulation::Resume(uint32_t any, uint64_t time_ns) {
  SimulatedRecorder& recorder = RecorderOf(any);
  if (!recorder.HasResumed(time_ns)) return;
  for (const uint32_t thread : threads_on_[static_cast<size_t>(places_.NodeOf(any))]) {
    TaskRecord task = TaskOf(thread);
    const bool sleeps = threads_[thread].cpu < 0 && !IsReady(thread);
    task.state = sleeps ? kStateInterruptible : kStateRunning;
    recorder.TellAgain(std::move(task), threads_[thread].switches);
  }
}

bool ClusterSimulation::IsReady(uint32_t thread) {
  const SimulatedRow& ready = NodeOf(thread).ready;
  for (uint32_t at = ready.first; at != kNobodyRuns; at = threads_[at].next)
    if (at == thread) return true;
  return false;
}

void ClusterSimulation::Dispatch(int number, int cpu) {
  SimulatedNode& node = nodes_[static_cast<size_t>(number)];
  if (node.ready.empty()) {
    node.idle |= uint64_t{1} << cpu;
    return;
  }
  const uint32_t next = Pop(node.ready);
  Switch(next, cpu, kNobodyRuns, next, kStateRunning, now_ns_);
}

void ClusterSimulation::Switch(uint32_t any, int cpu, uint32_t from, uint32_t to, uint32_t state,
                               uint64_t time_ns) {
  Resume(any, time_ns);
  const uint64_t at_ns = RecorderOf(any).Stamp(time_ns);
  if (TraceEvent* event = Add(EventKind::kSwitch, any, cpu, at_ns)) {
    event->sched_switch = {.prev_tid = from == kNobodyRuns ? 0 : places_.TidOf(from),
                           .next_tid = to == kNobodyRuns ? 0 : places_.TidOf(to),
                           .prev_state = state};
  }
  if (from != kNobodyRuns) {
    threads_[from].cpu = -1;
    threads_[from].since_ns = at_ns;
    ++threads_[from].switches;
  }
  NodeOf(any).running[static_cast<size_t>(cpu)] = to;
  if (to == kNobodyRuns) return;
  SimulatedThread& thread = threads_[to];
  thread.cpu = static_cast<int16_t>(cpu);
  WaitsOf(to).for_cpu_ns += at_ns - thread.since_ns;
  Work(to, at_ns);
}

void ClusterSimulation::LeaveCpu(uint32_t thread, uint32_t state, uint64_t time_ns) {
  SimulatedNode& node = NodeOf(thread);
  const int cpu = threads_[thread].cpu;
  const uint32_t next = node.ready.empty() ? kNobodyRuns : Pop(node.ready);
  if (next == kNobodyRuns) node.idle |= uint64_t{1} << cpu;
  Switch(thread, cpu, thread, next, state, time_ns);
}

void ClusterSimulation::Work(uint32_t thread, uint64_t time_ns) {
  const auto service = static_cast<size_t>(places_.ServiceOf(thread));
  uint64_t work_ns = work_ns_[service];
  if (threads_[thread].step == SimulatedStep::kHold) work_ns = hold_ns_[service];
  Plan(time_ns + About(work_ns), {.subject = thread, .what = SimulatedDue::What::kWorked});
}

void ClusterSimulation::Worked(uint32_t thread) {
  SimulatedThread& self = threads_[thread];
  switch (self.step) {
    case SimulatedStep::kBegin: {
      self.step = SimulatedStep::kHold;
      SimulatedLock& lock = LockOf(thread);
      if (lock.holder == kNobodyRuns) {
        lock.holder = thread;
        return Work(thread, now_ns_);
      }
      Push(lock.waiting, thread);
      return LeaveCpu(thread, kStateInterruptible, now_ns_);
    }
    case SimulatedStep::kHold:
      Unlock(thread);
      return IsLast(thread) ? AskDisk(thread) : Ask(thread);
    case SimulatedStep::kFinish:
      return Answer(thread);
    default:
      return;
  }
}

void ClusterSimulation::Unlock(uint32_t thread) {
  SimulatedLock& lock = LockOf(thread);
  lock.holder = kNobodyRuns;
  if (lock.waiting.empty()) return;
  const uint32_t next = lock.holder = Pop(lock.waiting);
  const uint64_t since_ns = threads_[next].since_ns;
  const uint64_t woken_ns = Wake(next, threads_[thread].cpu, {}, now_ns_);
  WaitsOf(next).for_lock_ns += woken_ns - since_ns;
  ++truth_.all_waits;
}

void ClusterSimulation::AskDisk(uint32_t thread) {
  SimulatedThread& self = threads_[thread];
  SimulatedNode& node = NodeOf(thread);
  SimulatedRecorder& recorder = RecorderOf(thread);
  self.step = SimulatedStep::kDisk;
  const uint64_t issued_ns = recorder.Stamp(now_ns_);
  if (TraceEvent* event = Add(EventKind::kBlockIssue, thread, self.cpu, issued_ns))
    event->block = Request(thread);
  node.disk_free_ns = std::max(node.disk_free_ns, issued_ns) + About(disk_ns_) + 1'000;
  Plan(node.disk_free_ns,
       {.subject = thread, .sent_ns = issued_ns, .what = SimulatedDue::What::kDiskDone});
  LeaveCpu(thread, kStateUninterruptible, issued_ns);
}

BlockEvent ClusterSimulation::Request(uint32_t thread) const {
  return {.sector = uint64_t{places_.LaneOf(thread)} * 8,
          .device = kSimulatedDisk,
          .bytes = 4096,
          .tid = places_.TidOf(thread),
          .operation = BlockOperation::kWrite};
}

void ClusterSimulation::DiskDone(const SimulatedDue& due) {
  const uint32_t thread = due.subject;
  const uint64_t done_ns = RecorderOf(thread).Stamp(now_ns_);
  if (TraceEvent* event = Add(EventKind::kBlockComplete, thread, 0, done_ns)) {
    const SimulatedClock clock{
        .skew_ns = 0, .drift_ppb = truth_.drifts_ppb[static_cast<size_t>(places_.NodeOf(thread))]};
    event->block = Request(thread);
    event->block.service_ns = clock.Shown(done_ns) - clock.Shown(due.sent_ns);
  }
  const uint64_t since_ns = threads_[thread].since_ns;
  threads_[thread].step = SimulatedStep::kFinish;
  const uint64_t woken_ns = Wake(thread, 0,
                                 {.context = WakeContext::kSoftirq,
                                  .waker_is_cause = false,
                                  .device_kind = DeviceKind::kDisk,
                                  .vector = kBlockVector,
                                  .device = kSimulatedDisk},
                                 done_ns);
  WaitsOf(thread).for_disk_ns += woken_ns - since_ns;
  ++truth_.all_waits;
}

void ClusterSimulation::Ask(uint32_t thread) {
  threads_[thread].step = SimulatedStep::kAsk;
  const uint64_t sent_ns = Send(thread, thread, SimulatedWay::kRequest);
  LeaveCpu(thread, kStateInterruptible, sent_ns);
}

void ClusterSimulation::Answer(uint32_t thread) {
  SimulatedThread& self = threads_[thread];
  if (IsFirst(thread)) {  // of its lane: the next round
    self.step = SimulatedStep::kBegin;
    return Work(thread, now_ns_);
  }
  self.step = SimulatedStep::kAsleep;
  const uint64_t sent_ns = Send(thread, thread - 1, SimulatedWay::kAnswer);
  LeaveCpu(thread, kStateInterruptible, sent_ns);
}

}  // namespace gordian
