// SPDX-License-Identifier: Apache-2.0
// The causes that ended each thread's waits, with counts, from a recording's events in time order.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/trace_event.h"

namespace gordian {

// The part of a wake that must not depend on how it was recorded.
struct WaitCause {
  enum class Kind {
    kUnknown,  // the wait ended without any wake that was seen
    kThread,   // `tid`
    kTimer,
    kDisk,           // `device`, from any interrupt that told of its completion
    kPacket,         // that `tid` sent, through interface `device`
    kUnknownPacket,  // whose sender is not known: its interrupt ran on top of `tid`
    kSoftirq,        // no device known; `vector`
    kHardirq,
    kNmi,
  };
  Kind kind = Kind::kUnknown;
  int32_t tid = 0;
  uint32_t device = 0;
  uint16_t vector = 0;

  static WaitCause Of(const WakeEvent& wake);
  bool operator==(const WaitCause&) const = default;
  bool operator<(const WaitCause& other) const {
    return std::tie(kind, tid, device, vector) <
           std::tie(other.kind, other.tid, other.device, other.vector);
  }
};

// Waits by cause, of one thread.
using CauseCounts = std::map<WaitCause, uint64_t>;

class WaitCauses {
 public:
  // Waits of this thread that begin later do not count.
  void CountUntil(int32_t tid, uint64_t time_ns) { threads_[tid].counted_until_ns = time_ns; }
  void Add(const TraceEvent& event);
  // Of waits that have ended: the thread was seen running again.
  const CauseCounts& Of(int32_t tid) const;

 private:
  struct Thread {
    bool waiting = false;
    bool woken = false;          // during this wait, by `cause`
    bool woken_running = false;  // since it last came to run, by `running_cause`
    WaitCause cause;
    WaitCause running_cause;
    CauseCounts ended;
    uint64_t counted_until_ns = UINT64_MAX;
  };
  void SwitchOut(Thread& thread, const TraceEvent& event);
  void SwitchIn(Thread& thread);

  std::unordered_map<int32_t, Thread> threads_;
};

}  // namespace gordian
