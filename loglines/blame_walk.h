// SPDX-License-Identifier: Apache-2.0
// Where the time before a moment of a thread went: each of its moments is charged to what was
// waited for in the end.
//
//   front  |run|--------- waits for back ---------|run|
//   back         |run|--- waits for the disk ---|run|
//   charged|front| back  |        the disk      |back |front|
//
// The walk goes back in time. A wait that a thread ended leads to that thread, and the walk comes
// back to the waiter at the wait's beginning. A wait that a disk, a link between nodes, an
// interface or an interrupt ended is charged to it.
//
// A wait that ended by itself, after some time, has no such cause. If the thread's waits usually
// end by a thread in the place of this one, that is the thread it waited for in vain: the walk
// leads there (BlamedWait::in_vain). The place is the thread that woke it before: who was asked by
// a client waits for the back end next.
//
// Why it ends: time never grows, and at one time no thread is met twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class BlameKind : uint8_t {
  kRun,
  kReady,  // without a CPU
  kDisk,
  kLink,    // a message was under way
  kDevice,  // an interface, interrupt or other device
  kTimer,   // until a time of its own
  kUnknown
};

inline constexpr uint32_t kNoBlamedWait = 0xffffffff;

struct BlameStep {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId thread = kNobody;  // that ran or waited
  EntityId device = kNobody;  // that it waited for; kNobody: none, or not known
  BlameKind kind = BlameKind::kUnknown;
  uint32_t wait = kNoBlamedWait;  // the innermost wait that it is a part of, in Blame::waits
};

// A thread waited for a thread or device, as far as the walk followed it.
struct BlamedWait {
  EntityId waiter = kNobody;
  EntityId waited_for = kNobody;  // a thread, or a device; kNobody: not known
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  BlameKind kind = BlameKind::kRun;  // kRun: for a thread
  bool in_vain = false;              // the one waited for did not end it: time did
  uint32_t parent = kNoBlamedWait;   // the wait within which the walk came here
};

struct Blame {
  std::vector<BlameStep> steps;   // in order of time, without gaps
  std::vector<BlamedWait> waits;  // a parent before its children
};

// Of [from_ns, at_ns). The thread must live then.
Blame BlameOf(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t at_ns);

// Its waits in vain for threads, the longest first.
std::vector<BlamedWait> LongestInVain(const Blame& blame, size_t most);

// The one that has been waiting for the thread at that moment, longest of all; kNobody: there is
// none. Since it asked, the thread works for it.
struct Asker {
  EntityId thread = kNobody;
  uint64_t waits_from_ns = 0;
  uint64_t asked_ns = 0;  // when the thread got the work: it was woken by the asker
};
Asker AskerOf(const Timeline& timeline, EntityId thread, uint64_t at_ns);

}  // namespace gordian
