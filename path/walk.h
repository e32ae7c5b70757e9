// SPDX-License-Identifier: Apache-2.0
// Walks back from a moment of a thread over all that it waited for. Inner to the library.
//
// A thread at a time t > floor is in a segment that began before t.
// - Run, ready, unknown: the step back to the segment's start is charged to its thread, in parts
//   where the process changed its program.
// - A wait that a thread ended: nothing is charged; the walk goes on at t in the waker.
// - A wait for a disk: charged from the request's issue; the walk goes on at the issue in the
//   thread that issued it.
// - Any other wait (timer, network, recorder, no cause known): charged; the walk stays.
// - Before its birth: the walk goes on in the creator.
// A thread outside of the job works for the thread of the job that waits for it. So a walk in there
// comes back to the waiter, at the beginning of the wait, unless it met another thread of the job
// before that.
//
// Why it ends: time never grows. Each step takes time away, or goes to a thread that was not met
// yet at that time; a waker that was met already (or that slept while it woke) is no cause, and the
// wait is charged as one without a cause. What is charged adds up to the walk's length.
//
// Each step costs a search for a segment: O(E log E) in all, as steps do not overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/devices/request_index.h"
#include "path/job.h"

namespace gordian {

struct PathStep {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId thread = kNobody;
  CommandId command = 0;
  PathState state = PathState::kRun;
  bool is_outside = false;
  // Of outsiders: the thread of the job that waits meanwhile, and the outsider that it waits for:
  // others may work in the name of that one.
  EntityId served = kNobody;
  EntityId answers = kNobody;
  // The thread came here because it was woken, and the path left it for a thread that it had woken:
  // it got the turn, and gave it on.
  bool took_turn = false;
};

struct PathStart {
  EntityId thread = kNobody;
  uint64_t at_ns = 0;  // may lie behind the piece, whose time alone is charged
};

class PathWalker {
 public:
  PathWalker(const Timeline& timeline, const JobProcesses& processes, const PathJob& job);

  // The steps in order of time: they cover [floor_ns, ceiling_ns] without gaps.
  std::vector<PathStep> Walk(PathStart start, uint64_t floor_ns, uint64_t ceiling_ns);

 private:
  enum class Move : uint8_t { kStart, kWake, kOther };

  void StepBack();
  void StepOverWait(const ThreadSegment& wait, uint64_t end_ns);
  void StepOverDisk(const ThreadSegment& wait);
  void StepBeforeBirth();
  bool JumpToWaker(EntityId waker, uint64_t waiting_since_ns);
  bool CanLandOn(EntityId thread, uint64_t at_ns) const;
  void LandOn(EntityId thread, uint64_t at_ns, uint64_t waiting_since_ns, Move move);
  void Charge(uint64_t from_ns, PathState state);
  void MoveTo(uint64_t at_ns);
  void EndVisit(Move left_by);
  bool IsOfJob(EntityId thread) const { return job_.members[processes_.Of(thread)] != 0; }

  const Timeline& timeline_;
  const JobProcesses& processes_;
  const PathJob& job_;
  const RequestIndex requests_;

  // Of the walk at hand.
  std::vector<PathStep> steps_;  // the last first
  uint64_t floor_ns_ = 0;
  uint64_t ceiling_ns_ = 0;
  EntityId thread_ = kNobody;
  uint64_t at_ns_ = 0;
  std::vector<EntityId> met_;  // at that time
  // The thread of the job that outsiders work for, and since when.
  EntityId served_ = kNobody;
  EntityId answers_ = kNobody;  // the outsider that ended its wait
  uint64_t served_since_ns_ = 0;
  size_t visit_first_step_ = 0;
  Move entered_by_ = Move::kStart;
};

}  // namespace gordian
