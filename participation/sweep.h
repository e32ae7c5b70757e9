// SPDX-License-Identifier: Apache-2.0
// One window, backwards. Inner to the library.
//
// Each thread has the number of paths that are on its line just now: at the window's end 1 for each
// end of a path. Going back in time, events are met at each of which threads change their state:
// - a thread comes into a wait that a thread ended, or before its birth: its paths go on in the
//   thread that had the turn (stays.h);
// - into a wait for a message: its paths lie on the message, and are back at its sender when it was
//   sent;
// - a thread of the kernel comes into its idleness, from which a disk woke it, and has passed that
//   on to a waiter since, by itself or through others of the kernel that were idle: its paths go on
//   in that waiter, which waits for the disk from then on. If it has not, they lie on the disk's
//   request, and are back at who asked for it when it was asked.
// At one moment, all changes of states come first, then paths move. A thread that has the turn is
// on the path, so paths move once.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/devices/request_index.h"
#include "analyzer/waits/stays.h"
#include "participation/recorded_participation.h"
#include "participation/window_events.h"

namespace gordian {

class WindowSweep {
 public:
  explicit WindowSweep(const RecordedGraph& graph);

  // `gather_threads`: so many pieces of a long window are read at the same time.
  WindowParticipation Sweep(const RunningSamples& samples, ParticipationWindowTimes window,
                            int gather_threads);

 private:
  struct Line {
    StayOfThread is;
    double paths = 0;
    uint64_t since_ns = 0;  // from here back its time is not yet counted
    uint32_t phase = kNoPhase;
    bool begins_stretch = false;  // at the moment at hand
  };
  struct Cell {
    double ns = 0;
    double crossings = 0;
  };
  struct UnderWay {
    uint64_t sent_ns = 0;
    EntityId sender = kNobody;
    double paths = 0;
    bool operator<(const UnderWay& other) const {
      return sent_ns != other.sent_ns ? sent_ns < other.sent_ns : sender > other.sender;
    }
  };
  // A move of a thread's paths.
  struct Move {
    EntityId thread = kNobody;
    EntityId cause = kNobody;
    HopKind kind = HopKind::kWake;
    double paths = 0;
  };
  using HopKey = std::pair<uint64_t, HopKind>;

  void FindEnds();
  EntityId ClearestOf(const std::vector<EntityId>& ends) const;
  bool IsWithoutCause(EntityId thread, const StayOfThread& is) const;
  std::optional<uint64_t> KnownToBePassedOnSince(EntityId thread, const StayOfThread& is) const;
  uint64_t LastMomentForDisk(EntityId thread, const StayOfThread& is) const;
  uint64_t LastMomentOnPath() const;
  void BeginLine(EntityId thread);
  bool IsEnd(EntityId thread, bool& sleeps);
  void SweepPiece(const StayEvents& piece);
  void SweepMoment(const StayEvents& piece, size_t begin, size_t end, uint64_t time_ns);
  void ChangeState(const StayEvent& event, uint64_t time_ns);
  void ForgetWoken(EntityId thread);
  void CountStretch(EntityId thread);
  void FindCause(EntityId thread, uint64_t time_ns);
  void MoveToCauses(uint64_t time_ns);
  EntityId FirstPassedOnTo(EntityId worker, uint64_t time_ns);
  void LeaveIdleness(EntityId thread, uint64_t time_ns);
  void PutOnRequest(EntityId worker, uint64_t time_ns);
  void NoteWoken(EntityId thread);
  void PutOnMessage(EntityId thread, uint64_t time_ns);
  void TakeArrivals(uint64_t time_ns);
  void SweepMessagesSentAfter(uint64_t time_ns);
  void Arrive(EntityId thread, double paths, uint64_t time_ns);
  void Count(EntityId thread, uint64_t time_ns);
  void KeepStretch(const CriticalStretch& stretch);
  void Hop(EntityId from, EntityId to, HopKind kind, double paths, uint64_t ns);
  Cell& CellOf(EntityId thread, RecordedActivity activity, uint32_t phase);
  RecordedActivity ActivityNow(const Line& line) const;
  std::vector<uint64_t> BordersOfPieces() const;
  WindowParticipation Result();

  const RecordedGraph& graph_;
  const Timeline& timeline_;
  std::vector<Line> lines_;
  ParticipationWindowTimes window_;
  WindowParticipation result_;
  double all_paths_ = 0;
  // By a thread of the kernel since its latest wait, the first last. Kept over its idleness.
  absl::flat_hash_map<EntityId, std::vector<EntityId>> woken_by_;
  std::priority_queue<UnderWay> under_way_;    // the last sent first
  std::optional<RequestIndex> requests_;       // made when the first is asked for
  absl::flat_hash_map<uint64_t, Cell> cells_;  // by thread, phase and activity
  absl::flat_hash_map<HopKey, Cell> hops_;
  std::vector<Move> moves_;  // of the moment at hand
  std::vector<EntityId> to_visit_;
  std::vector<StayEvents> pieces_;
};

}  // namespace gordian
