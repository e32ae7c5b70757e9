// SPDX-License-Identifier: Apache-2.0
// The threads of a replay at one moment: which of them can go on, which runs on which CPU, and
// which waits for a time to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "whatif/play/event_queue.h"
#include "whatif/play/machines.h"
#include "whatif/play/players.h"
#include "whatif/play/seats.h"

namespace gordian {

class Stage {
 public:
  // `cpus` by node. `uses`, by thread, is added to.
  Stage(const Score& score, std::span<const uint32_t> cpus, std::vector<ThreadUse>& uses)
      : score_(score),
        uses_(uses),
        players_(score.threads()),
        machines_(cpus),
        run_end_ns_(machines_.cpus()),
        seats_(score) {
    uses_.resize(players_.size());
    for (EntityId thread = 0; thread < players_.size(); ++thread) {
      players_[thread].next = score.first_step[thread];
      players_[thread].end = score.first_step[thread + 1];
      going_.push_back(thread);
    }
  }

  uint64_t now_ns() const { return now_ns_; }
  std::vector<Player>& players() { return players_; }
  Seats& seats() { return seats_; }

  // A thread that can go on at this moment, with a CPU if it stood in line for one; kNobody if no
  // thread can.
  EntityId NextToGoOn();
  // It can go on.
  void LetGoOn(EntityId thread) {
    players_[thread].at = At::kSteps;
    going_.push_back(thread);
  }
  // Its wait is over. Its step is done, unless it only was not allowed yet.
  void Wake(EntityId thread);
  // It does not run. Another thread with its seat then goes on in its place.
  void Block(EntityId thread, At at, bool keeps_seat = false);
  // It goes on waiting, without its seat.
  void LeaveSeat(EntityId thread);
  // It runs for what is left of its run, as soon as it has its seat and a CPU.
  void Run(EntityId thread);
  // It has no CPU until that time is over, which counts as ready to run.
  void CountReady(EntityId thread, uint64_t length_ns) { uses_[thread].ready_ns += length_ns; }

  // So much of its wait, at most, was for a message under way.
  void CountFlight(EntityId thread, uint64_t flight_ns) {
    const uint64_t link_ns = std::min(flight_ns, now_ns_ - players_[thread].since_ns);
    uses_[thread].link_ns += link_ns;
    uses_[thread].await_ns -= link_ns;
  }

  bool HasEvents() const { return !events_.empty(); }
  ReplayEvent TakeFirstEvent() { return events_.TakeFirst(); }
  void Schedule(ReplayEventKind kind, uint64_t after_ns, uint32_t number, uint32_t version = 0) {
    events_.Add(kind, now_ns_ + after_ns, number, version);
  }
  void AdvanceTo(uint64_t time_ns) { now_ns_ = time_ns; }
  // Takes an event of a thread or a CPU.
  void Take(const ReplayEvent& event);

 private:
  // It stops running, and its run is counted.
  void CountRun(EntityId thread) {
    uses_[thread].run_ns += now_ns_ - players_[thread].since_ns;
    players_[thread].since_ns = now_ns_;
  }
  void EndRun(EntityId thread);
  void GiveWay(uint32_t cpu);
  void LeaveCpu(Player& player);
  void StandInLine(EntityId thread, bool at_front = false);
  void GoOnInstead(Player& player, EntityId thread);

  const Score& score_;
  std::vector<ThreadUse>& uses_;
  std::vector<Player> players_;
  Machines machines_;
  std::vector<uint64_t> run_end_ns_;  // by CPU
  Seats seats_;
  ReplayEvents events_;
  std::deque<EntityId> going_;
  uint64_t now_ns_ = 0;
};

}  // namespace gordian
