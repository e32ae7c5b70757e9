// One thing that happened to one thread: what an event says about it, in as little memory as a
// segment takes, because a record's place is where its segment will be written.
#pragma once

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

inline ThreadRecord RecordIn(const ThreadSegment& slot) {
  return std::bit_cast<ThreadRecord>(slot);
}
inline ThreadSegment SlotOf(const ThreadRecord& record) {
  return std::bit_cast<ThreadSegment>(record);
}

}  // namespace gordian
