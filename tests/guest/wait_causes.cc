// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/wait_causes.h"

namespace gordian {
namespace {

constexpr uint16_t kNetTx = 2;  // softirq vectors, the kernel's own numbers
constexpr uint16_t kNetRx = 3;

bool IsDying(uint32_t state) {
  return (state & (kStateDead | kStateExitDead | kStateExitZombie)) != 0;
}

}  // namespace

WaitCause WaitCause::Of(const WakeEvent& wake) {
  if (wake.context == WakeContext::kThread) return {Kind::kThread, wake.waker_tid};
  if (wake.context == WakeContext::kTimer) return {Kind::kTimer};
  if (wake.context == WakeContext::kNmi) return {Kind::kNmi};
  if (wake.device_kind == DeviceKind::kDisk) return {Kind::kDisk, 0, wake.device};
  const bool soft = wake.context == WakeContext::kSoftirq;
  if (wake.device_kind == DeviceKind::kNic ||
      (soft && (wake.vector == kNetRx || wake.vector == kNetTx))) {
    const Kind kind = wake.waker_is_cause ? Kind::kPacket : Kind::kUnknownPacket;
    return {kind, wake.waker_tid, wake.device};
  }
  return {soft ? Kind::kSoftirq : Kind::kHardirq, 0, 0, wake.vector};
}

// A wait is from a switch-out with a state to the switch-in after it; the first wake in between
// ended it. Without such a wake, the wake came so early that another CPU's clock put it just before
// the switch-out: then it is the last wake that met the thread running. (A wake of a running thread
// otherwise only tells it not to sleep.)
void WaitCauses::Add(const TraceEvent& event) {
  if (event.kind == EventKind::kWake) {
    Thread& thread = threads_[event.wake.wakee_tid];
    if (!thread.waiting) {
      thread.woken_running = true;
      thread.running_cause = WaitCause::Of(event.wake);
    } else if (!thread.woken) {
      thread.woken = true;
      thread.cause = WaitCause::Of(event.wake);
    }
  } else if (event.kind == EventKind::kSwitch) {
    // Thread 0 is every CPU's idle thread: it waits for no thread.
    if (event.sched_switch.prev_tid != 0) {
      SwitchOut(threads_[event.sched_switch.prev_tid], event);
    }
    if (event.sched_switch.next_tid != 0) SwitchIn(threads_[event.sched_switch.next_tid]);
  }
}

void WaitCauses::SwitchOut(Thread& thread, const TraceEvent& event) {
  const SwitchEvent& out = event.sched_switch;
  thread.waiting = event.time_ns <= thread.counted_until_ns && !out.preempted &&
                   out.prev_state != kStateRunning && !IsDying(out.prev_state);
  thread.woken = false;
}

void WaitCauses::SwitchIn(Thread& thread) {
  if (thread.waiting) {
    const WaitCause cause = thread.woken           ? thread.cause
                            : thread.woken_running ? thread.running_cause
                                                   : WaitCause{};
    ++thread.ended[cause];
  }
  thread.waiting = thread.woken = thread.woken_running = false;
}

const CauseCounts& WaitCauses::Of(int32_t tid) const {
  static const CauseCounts kNone;
  const auto found = threads_.find(tid);
  return found == threads_.end() ? kNone : found->second.ended;
}

}  // namespace gordian
