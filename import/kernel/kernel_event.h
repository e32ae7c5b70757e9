// SPDX-License-Identifier: Apache-2.0
// One event of a kernel's trace, whatever the format it was written in: each reader fills these,
// KernelTranslator makes a session of them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace gordian {

enum class KernelEventKind : uint8_t {
  kSwitch = 0,     // tid leaves, other_tid comes; value: the state that tid leaves in
  kRunning,        // tid came, and who left is not told
  kWaking,         // of tid, in the waker's context
  kWakeup,         // of tid, on the CPU that it is to run on
  kWakeupNew,      // of tid, which was just born
  kBirth,          // of tid, by other_tid; value: a BirthKind
  kExec,           // by tid; name: the program's path
  kExit,           // of tid
  kThread,         // a fact: tid is called name, its process is other_tid (0: not told)
  kHardirqEntry,   // value: the number
  kHardirqExit,    // likewise
  kSoftirqEntry,   // value: the vector
  kSoftirqExit,    // likewise
  kTimerEntry,     // an expired timer's function begins …
  kTimerExit,      // … and ends
  kBlockIssue,     // value: device, number: sector, count: bytes
  kBlockComplete,  // likewise
  kSample,         // tid runs; stack: where
  kLost,           // count events of this CPU are missing before here; 0: some
};

enum class BirthKind : uint8_t { kNotTold = 0, kThread, kProcess };

// Of the scheduler's report (include/trace/events/sched.h): the state letters by their bits.
inline constexpr uint32_t kReportPreempted = 0x100;

struct KernelEvent {
  // Whether the event's own flags told its context.
  static constexpr uint8_t kToldFlags = 1;
  static constexpr uint8_t kInHardirq = 2;
  static constexpr uint8_t kInSoftirq = 4;

  uint64_t time_ns = 0;
  uint64_t number = 0;
  int32_t current_tid = -1;  // on the CPU; -1: not told
  int32_t tid = 0;
  int32_t other_tid = 0;
  uint32_t name = 0;        // of tid; an index into KernelNames, 0: not told
  uint32_t other_name = 0;  // of wakes and requests: of current_tid, if nothing better is told
  uint32_t value = 0;
  uint32_t count = 0;
  uint32_t stack = 0;  // of the thread on the CPU; a number of KernelStacks, 0: not told
  uint16_t cpu = 0;
  KernelEventKind kind = KernelEventKind::kSwitch;
  uint8_t context = 0;    // the flags above
  uint8_t operation = 0;  // of disks: a BlockOperation
};

// The names in a trace, each once. Bounded: names beyond are the empty one, and counted.
class KernelNames {
 public:
  static constexpr size_t kMaxNames = 1u << 20;
  static constexpr size_t kMaxNameBytes = 255;  // the rest of a longer one is cut

  uint32_t Intern(std::string_view name);
  std::string_view operator[](uint32_t index) const {
    return index == 0 ? std::string_view() : std::string_view(names_[index - 1]);
  }
  uint64_t dropped() const { return dropped_; }

 private:
  std::deque<std::string> names_;  // never moves them
  absl::flat_hash_map<std::string_view, uint32_t> indices_;
  uint64_t dropped_ = 0;
};

}  // namespace gordian
