// SPDX-License-Identifier: Apache-2.0
// What led to a moment of a thread, and what it led to.
//
// The execution graph of a recording: a span is a thread from its wake, or birth, to its next wait.
// Edges lead from the nanosecond before their beginning to the one that begins with their end:
//   wake     who had the turn when a wait ended (analyzer/waits/stays.h) -> the woken thread
//   lock     the same of a spin: who held the lock
//   create   who had the turn at a birth -> the new thread
//   message  its sender, as it was sent -> the thread of another node that waited for it
//   disk     who asked the disk -> the thread that waited until it was done
//   next     a span -> the next one of its thread, over the wait between them, if the causal scope
//            says that this wait is a part of the same work (CausalScope)
// A slice is all that edges lead to from a moment of a thread (forward), or from where they lead
// there (backward). docs/design-causes.md has the reasons.
//
// Nothing makes that graph. A slice is one sweep over the recording's waits in order of time
// (backwards: in the reverse order), with a bit for each thread: in the slice, or not. It costs
// O(waits + threads), and memory for the threads and a piece of the recording.
//
// Usage:
//   const ExecutionGraph graph(timeline);
//   const Slice slice = SliceOf(graph, {.thread = 7, .at_ns = at_ns});
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "participation/recorded_participation.h"

namespace gordian {

enum class CauseEdge : uint8_t { kWake, kMessage, kDisk, kCreate, kLock };
inline constexpr size_t kCauseEdges = 5;
inline constexpr std::array<std::string_view, kCauseEdges> kCauseEdgeNames = {
    "wake", "message", "disk", "create", "lock"};
constexpr uint8_t BitOf(CauseEdge edge) {
  return static_cast<uint8_t>(1u << static_cast<unsigned>(edge));
}
inline constexpr uint8_t kAllCauseEdges = (1u << kCauseEdges) - 1;

// Over which waits a thread's work goes on.
enum class CausalScope : uint8_t {
  kBurst,    // none
  kRequest,  // all but those for events of any kind (WaitSenses)
  kPhase,    // those within one phase that the program told
  kThread    // all
};
inline constexpr std::array<std::string_view, 4> kCausalScopeNames = {"burst", "request", "phase",
                                                                      "thread"};

inline constexpr uint32_t kNoHopLimit = std::numeric_limits<uint32_t>::max();

struct SliceRequest {
  EntityId thread = kNobody;  // a thread
  uint64_t at_ns = 0;         // from that moment on, or until then
  bool forward = false;
  CausalScope scope = CausalScope::kRequest;
  uint32_t max_hops = kNoHopLimit;          // edges on a path; next edges do not count
  uint32_t max_network_hops = kNoHopLimit;  // messages on a path
  uint8_t edge_kinds = kAllCauseEdges;      // no others are followed
  // No path leads out of that time.
  uint64_t from_ns = 0;
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
};

inline constexpr uint32_t kNoStretch = 0xffffffff;

// A thread, in the slice from one moment to another, with the waits between.
struct SliceStretch {
  EntityId thread = kNobody;
  uint32_t number = 0;                // in the order in which the sweep met them
  uint32_t parent = kNoStretch;       // has the edge that first led here; a smaller number
  CauseEdge edge = CauseEdge::kWake;  // … of this kind; not of the first stretch
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // later
};

// What kept a slice from being exact.
struct SliceDoubts {
  uint64_t waits_by_likeness = 0;  // no sample told what they were for; like others of the thread
  uint64_t waits_not_known = 0;    // nor did others: they count as the same work
  // Backward: waits and births in the slice whose cause is not known or slept itself: no edge.
  uint64_t causes_asleep = 0;
};

struct SliceCounts {
  uint64_t stretches = 0;
  std::array<uint64_t, kCauseEdges> edges = {};  // that led to threads outside the slice so far
  uint64_t hops = 0;  // along the longest chain of edges; with limits at most that many
  SliceDoubts doubts;
};

struct Slice {
  std::vector<SliceStretch> stretches;  // by number; those of one thread do not overlap
  SliceCounts counts;
};

// What kind of wait a wait is, as far as a recording knows.
//   - A wait for a disk or a lock, and one that no signal may end (pages, file systems, locks in
//     the kernel), is a part of the thread's work.
//   - A sampled wait tells its system call and object. Waits for events are epoll, io_uring, accept
//     and poll or select on several descriptors (or a listening one): what comes next is not known
//     beforehand. All others, as for one pipe, socket, futex, child or time, are part of the work.
//   - A wait without a sample is like most sampled waits of its thread that signals may end.
//   - Otherwise nothing is known of it, and it counts as part of the work.
enum class WaitSense : uint8_t { kWork, kEvents, kLikelyWork, kLikelyEvents, kNotKnown };

class WaitSenses {
 public:
  explicit WaitSenses(const Timeline& timeline);
  WaitSense Of(EntityId thread, const ThreadSegment& wait) const;

 private:
  struct Told {
    EntityId thread = kNobody;
    uint64_t start_ns = 0;
    bool for_events = false;
  };
  std::vector<Told> told_;                 // by thread and time
  std::vector<uint32_t> first_of_thread_;  // in told_, and its size behind the last thread
  std::vector<WaitSense> others_;          // by thread: of waits that are not in told_
};

// From one thread to another, with time in between.
struct CauseCrossing {
  EntityId from = kNobody;
  EntityId to = kNobody;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // later
  CauseEdge edge = CauseEdge::kMessage;
};

// What all slices of a recording share. The timeline and phases must outlive it.
class ExecutionGraph {
 public:
  // `phases`: by thread, then by time, without overlaps.
  explicit ExecutionGraph(const Timeline& timeline, std::span<const ThreadPhase> phases = {});

  const Timeline& timeline() const { return timeline_; }
  std::span<const ThreadPhase> phases() const { return phases_; }
  // The phases of that thread.
  std::span<const ThreadPhase> PhasesOfThread(EntityId thread) const;
  // By beginning, messages and disks alike.
  std::span<const CauseCrossing> crossings() const { return crossings_; }
  // Indices of crossings(), by end.
  std::span<const uint32_t> crossings_by_end() const { return crossings_by_end_; }

  // Whether the next edge over that wait is causal, and how that is known.
  struct NextEdge {
    bool is_causal = false;
    WaitSense sense = WaitSense::kWork;  // of CausalScope::kRequest alone
  };
  NextEdge NextOver(CausalScope scope, EntityId thread, const ThreadSegment& wait,
                    uint64_t wait_end_ns) const;

 private:
  void AddDiskCrossings();

  const Timeline& timeline_;
  std::span<const ThreadPhase> phases_;
  WaitSenses senses_;
  std::vector<CauseCrossing> crossings_;
  std::vector<uint32_t> crossings_by_end_;
};

// Gets each stretch once it is complete: in no order, but a parent's number is below its
// children's.
using StretchSink = std::function<void(const SliceStretch& stretch)>;

// Empty if the thread does not live then. `threads` read the recording ahead; the result does not
// depend on their number.
SliceCounts SweepSlice(const ExecutionGraph& graph, const SliceRequest& request,
                       const StretchSink& sink, int threads = 1);
Slice SliceOf(const ExecutionGraph& graph, const SliceRequest& request, int threads = 1);

}  // namespace gordian
