// SPDX-License-Identifier: Apache-2.0
// One thing that happened to one thread, by one event. It takes no more memory than a segment,
// because its segment will be written in its place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class RecordKind : uint8_t {
  kIn,           // got a CPU: `cpu`
  kOut,          // left its CPU `cpu` in `state`
  kPreempted,    // left its CPU `cpu`, still runnable
  kWake,         // `cause`, `waker`
  kFalseWakeup,  // probes …
  kCondWaitBegin,
  kCondWaitEnd,
  kSpinBegin,  // `lock`
  kSpinEnd,
  kResumed,  // the recording went on after a pause: see ResumedRecord
};

struct ThreadRecord {
  uint64_t time_ns = 0;
  uint32_t other = 0;  // kIn, kOut, kPreempted: CPU. kWake: see CauseOf. Spins: number of the lock
  uint16_t state = 0;  // kOut
  RecordKind kind = RecordKind::kIn;
  WaitCause cause = WaitCause::kUnknown;  // kWake
};
static_assert(sizeof(ThreadRecord) == sizeof(ThreadSegment));
static_assert(std::is_trivially_copyable_v<ThreadRecord> &&
              std::is_trivially_copyable_v<ThreadSegment>);

// The state of a thread after a pause that ended at resumed_ns: `told_after_ns` later it slept or
// not, and had left a CPU that often. Nothing asks for the cause of the first event behind a pause.
inline ThreadRecord ResumedRecord(uint64_t resumed_ns, uint64_t told_after_ns, bool sleeps,
                                  uint64_t switches) {
  return {.time_ns = resumed_ns,
          .other = static_cast<uint32_t>(std::min<uint64_t>(told_after_ns, 0xffffffff)),
          .state = static_cast<uint16_t>(switches),
          .kind = RecordKind::kResumed,
          .cause = sleeps ? WaitCause::kThread : WaitCause::kUnknown};
}
inline bool ToldAsleep(const ThreadRecord& resumed) { return resumed.cause == WaitCause::kThread; }

inline ThreadRecord RecordIn(const ThreadSegment& slot) {
  return std::bit_cast<ThreadRecord>(slot);
}
inline ThreadSegment SlotOf(const ThreadRecord& record) {
  return std::bit_cast<ThreadSegment>(record);
}

}  // namespace gordian
