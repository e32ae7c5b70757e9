// SPDX-License-Identifier: Apache-2.0
// The steps of a replay's threads: hand-overs, disks, locks, pieces of work, pauses and runs.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "whatif/play/disk_server.h"
#include "whatif/play/lock_ways.h"
#include "whatif/play/mark_times.h"
#include "whatif/play/piece_takers.h"
#include "whatif/play/stage.h"
#include "whatif/play/tokens.h"
#include "whatif/play/work_left.h"

namespace gordian {

class StepPlayer {
 public:
  // All must outlive this object.
  StepPlayer(const Score& score, const Variation& variation, Stage& stage, MarkTimes& marks);

  // Goes through the steps of a thread until one takes time.
  void GoOn(EntityId thread);
  // That hand-over was under way, and is there.
  void Arrive(uint32_t hand_over);
  // That request's service is over.
  void EndService(uint32_t request);
  // A thread that was too far ahead of another one goes on. False if there is none.
  bool LetOneFurther();
  // A thread that waits for another one keeps those with its seat from going on, and that one waits
  // for them: such waits keep no seat. False if there is none.
  bool LetOneLeaveSeat();
  // The blocked thread that was recorded first goes on as if its wait were over. False if no thread
  // is blocked.
  bool ForceOne();

  std::vector<uint64_t> DisksBusyNs() const { return disks_.BusyUntil(stage_.now_ns()); }

 private:
  // False if the step is not over yet; then the thread will be called for.
  bool Do(EntityId thread, const Step& step);
  bool Run(EntityId thread, const Step& step);
  bool Pause(EntityId thread, const Step& step);
  bool OffCpu(EntityId thread, const Step& step);
  bool HandOver(EntityId thread, uint32_t hand_over);
  bool Request(EntityId thread, uint32_t request);
  bool AwaitDisk(EntityId thread, const Step& step);
  bool Release(EntityId thread, uint32_t lock);
  void SkipHold(EntityId thread, uint32_t lock);

  void SettleWakes(EntityId thread, uint64_t& run_ns);
  void CountWake(EntityId thread, uint32_t hand_over);
  // CPU time that the kernel spends for a thread whose own work is shorter.
  void Keep(EntityId thread, uint64_t cost_ns);
  void AddKept(EntityId thread, const Step& step, uint64_t& run_ns);
  void SaveSleep(EntityId thread, uint32_t hand_over);

  using Ends = std::pair<EntityId, EntityId>;  // recorded threads: the first waits for the second
  Ends EndsOf(const Step& await) const;
  bool KeepsSeat(const Step& await) const;

  bool IsPieceAskedFor(EntityId thread);
  bool TakePiece(EntityId thread);
  bool TakeOver(EntityId thread);

  void WakeReleased();
  void CountFlight(EntityId thread);
  void WakeServed();

  const Score& score_;
  const Variation& variation_;
  Stage& stage_;
  MarkTimes& marks_;
  Tokens tokens_;
  LockWays locks_;
  PieceTakers pieces_;
  WorkLeft work_left_;
  DiskServer disks_;
  std::set<Ends> keep_no_seat_;
  std::vector<double> kept_ns_;   // by thread: the kernel's CPU time that no run has yet
  std::vector<int64_t> owed_ns_;  // by thread: CPU time of wakes; empty if they cost nothing
};

}  // namespace gordian
