// SPDX-License-Identifier: Apache-2.0
// Walking: what a thread did at a moment, why, and where its causes and effects lie.
//
//   MomentOf     the wait or run at a moment: its cause, what it was for, who ended it
//     .back      the step back along the cause: of a wait, to who ended it, as it did; of a run, to
//                who ended the wait before it, or made the thread
//     .forward   the next step along the effects: the first thread that this run woke or made, or
//                sent a message to that ended its wait
//   WakesOf      the wakes of a thread in a range, both ways: arrows of a picture
//
// All times are since the recording's start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/stacks/stacks.h"
#include "causes/causes.h"

namespace gordian {

struct MomentStep {
  EntityId thread = kNobody;
  uint64_t at_ns = 0;  // a moment of that thread: the last nanosecond of what it did there
  CauseEdge edge = CauseEdge::kWake;
};

struct Moment {
  EntityId thread = kNobody;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  SegmentKind kind = SegmentKind::kUnknown;
  WaitCause cause = WaitCause::kUnknown;  // wait, spin
  uint32_t state = 0;                     // wait: the kernel's state bits; run, spin: the CPU
  bool open_start = false;
  bool open_end = false;
  EntityId waker = kNobody;  // wait, spin: who ended it, a thread or a device
  // Of a sampled wait; else empty. Clean text.
  std::string object;  // "fdatasync of /var/lib/app/wal.log"
  std::string story;   // "fsync ← FileLog::Commit (log.cc:88)"
  std::optional<MomentStep> back;
  // In one sentence for people, without the thread's name: "waited 3.2 ms for db/45: futex …".
  std::string sentence;
};

class Moments {
 public:
  // All must outlive it.
  Moments(const ExecutionGraph& graph, const Code& code);

  // NotFound, with a line for the user, if the thread does not live then.
  absl::StatusOr<Moment> MomentOf(EntityId thread, uint64_t at_ns) const;
  // From that moment on, until the thread waits again. Nothing if it wakes no other thread before.
  // It costs what happens until the first effect; `stop_asked` may be empty.
  std::optional<MomentStep> Forward(EntityId thread, uint64_t at_ns,
                                    const std::function<bool()>& stop_asked) const;

 private:
  std::optional<MomentStep> BackOf(EntityId thread, uint64_t at_ns) const;
  void AddSample(Moment& moment) const;

  const ExecutionGraph& graph_;
  const Timeline& timeline_;
  const Code& code_;
  std::vector<uint32_t> wait_samples_;  // places in stack_samples(), by thread and time
};

struct WakeArrow {
  EntityId from = kNobody;  // a thread or a device
  EntityId to = kNobody;
  uint64_t at_ns = 0;
};
struct WakesAnswer {
  std::vector<WakeArrow> arrows;  // by time
  bool is_cut = false;            // there are more
};
// More arrows than this cover the picture.
inline constexpr size_t kMostArrows = 1'000;

// The wakes that ended the thread's waits in [from_ns, to_ns), and those by which it ended others'.
// Cut at kMostArrows, and where that would take long.
WakesAnswer WakesOf(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns,
                    const std::function<bool()>& stop_asked);

}  // namespace gordian
