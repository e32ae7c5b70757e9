// SPDX-License-Identifier: Apache-2.0
// Critical participation in a recording: how much of the paths through a window of time lies on
// each thread, in each of its states, and on each hop between threads.
//
// A path leads backwards from one of the target's threads at the window's end (or at the last
// moment at which one of them was on its way) to any thread at its beginning, over what each moment
// waited for (docs/design-participation.md has the reasons):
// - run, runnable and unknown time, and waits for disks, interfaces, timers and interrupts are on
//   it, on their thread's own line;
// - a wait or spin that a thread ended is not: the path goes on in that thread, at that moment;
// - a message between nodes is on it from its sending on, and belongs to its receiver;
// - at its birth a thread's path goes on in its creator.
// Each moment of a thread has one predecessor at most. So there is one path for each end, and
// a thread's participation is how many of them are on it, for how long:
//   cp = Σ paths · time / (all paths · their length); all of them add up to 1.
//
// Usage:
//   const RecordedGraph graph = {.timeline = timeline, .is_target = is_target};
//   for (const WindowParticipation& window : ParticipationOfWindows(graph, windows, threads)) …
//
// A window costs O(its events) and a look at each thread; paths come on top only where they lead.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "base/time_units.h"

namespace gordian {

enum class RecordedActivity : uint8_t {
  kProcessing,     // on a CPU
  kBarrier,        // … in a phase that coordinates
  kSerialization,  // … in a phase that (un)packs data
  kBuffer,         // … in a phase that manages buffers
  kScheduling,     // ready for a CPU, without one
  kDisk,
  kNetwork,  // a packet whose sender is not known
  kTimer,
  kInterrupt,
  kDataMessage,  // between two nodes, under way
  kUnknown       // a hole of the recording, or a wait whose end has no known cause
};
inline constexpr size_t kRecordedActivities = 11;
// Processing, Barrier, … "IO: disk", … DataMessage, Unknown
std::string_view NameOf(RecordedActivity activity);
// How words that programs say of their phases tell what the phase does: a name that is `barrier`,
// `serialization`, `serialize`, `deserialize` or `buffer`, or begins with one of these and a
// character that is no letter ("barrier/superstep"). Any other phase is Processing.
RecordedActivity ActivityOfPhase(std::string_view name);

// What a thread is in: the innermost phase, or an operator.
struct ThreadPhase {
  EntityId thread = kNobody;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint32_t name = 0;  // above 0, at most kMostPhaseNames
};
inline constexpr uint32_t kNoPhase = 0;
inline constexpr uint32_t kMostPhaseNames = (1u << 24) - 1;

// A wait that goes on for longer than this behind a window's end has not ended, for that window. So
// a window is what it is once so much more was recorded.
inline constexpr uint64_t kLongestKnownEndNs = kNsPerSecond;

struct RecordedGraph {
  const Timeline& timeline;
  std::span<const uint8_t> is_target;  // by thread
  // By thread, then by time; those of one thread do not overlap.
  std::span<const ThreadPhase> phases;
  std::span<const RecordedActivity> activity_of_phase;  // by name; may be shorter: Processing
  bool keep_samples = false;                            // fill in `samples` of each window
  // Of several ends only one counts: the first thread that is at work, else the first that waits
  // for something known, else the first. Fill in `path` of each window.
  bool only_one_path = false;
};

struct StayParticipation {
  EntityId thread = kNobody;
  RecordedActivity activity = RecordedActivity::kUnknown;
  uint32_t phase = kNoPhase;
  double cp = 0;
  double crossings = 0;  // stretches of it on the average path
};

enum class HopKind : uint8_t { kWake, kBirth, kPassedOn, kMessage };

struct HopParticipation {
  EntityId from = kNobody;
  EntityId to = kNobody;
  HopKind kind = HopKind::kWake;
  double cp = 0;         // of messages alone; also counted in the receiver's kDataMessage
  double crossings = 0;  // times that the average path goes that way
};

// A sample of a running thread that paths were on.
struct SampleParticipation {
  uint32_t sample = 0;  // index in Timeline::stack_samples()
  uint32_t phase = kNoPhase;
  double paths = 0;  // the share of all paths that were there, then
};

// A stretch of the only path.
struct CriticalStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId thread = kNobody;
  EntityId sender = kNobody;  // kDataMessage
  RecordedActivity activity = RecordedActivity::kUnknown;
  uint32_t phase = kNoPhase;
};

// What kept a window's answer from being exact. Only what paths touched.
struct ParticipationDoubts {
  uint64_t waits_not_ended = 0;         // of target threads, at the end: these are no ends of paths
  uint64_t wakes_by_sleepers = 0;       // a waker that slept: the wait is Unknown
  uint64_t births_without_creator = 0;  // the time before is Unknown
  uint64_t messages_by_sleepers = 0;    // as wakes; the message stays on its receiver's line
  ParticipationDoubts& operator+=(const ParticipationDoubts& other);
};

struct WindowParticipation {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint32_t paths = 0;  // 0: none of the target's threads was on its way at any time
  // Where the paths end: at to_ns, or, if no thread of the target was on its way then, at the last
  // moment at which one was. cp is of the time until then.
  uint64_t paths_to_ns = 0;
  bool by_sleepers = false;  // all of them slept until a time of their own; these count then
  std::vector<StayParticipation> stays;  // by thread, phase, activity; cp adds up to 1
  std::vector<HopParticipation> hops;    // by from, to, kind
  std::vector<SampleParticipation> samples;
  // In order of time, without gaps, up to paths_to_ns. Only of only_one_path.
  std::vector<CriticalStretch> path;
  ParticipationDoubts doubts;
};

struct ParticipationWindowTimes {
  uint64_t from_ns = 0;  // before to_ns; both within the timeline
  uint64_t to_ns = 0;
};

// The windows from from_ns on, each `window_ns` long, the last one maybe shorter. 0: one for all.
std::vector<ParticipationWindowTimes> WindowsOf(uint64_t from_ns, uint64_t to_ns,
                                                uint64_t window_ns);

// In the order of `windows`, which may overlap. The result does not depend on `threads`.
std::vector<WindowParticipation> ParticipationOfWindows(
    const RecordedGraph& graph, std::span<const ParticipationWindowTimes> windows, int threads = 0);

// One window, with one thread.
WindowParticipation ParticipationWithin(const RecordedGraph& graph, uint64_t from_ns,
                                        uint64_t to_ns);

}  // namespace gordian
