// SPDX-License-Identifier: Apache-2.0
// Requests that stand in line for a seat which no thread shows, only packets do. Inner to the
// library.
//
// Goroutines, fibers and callbacks hold no thread. If they share a lock or a limit around a
// question to another server, threads show sleeps for want of work. But the other server's requests
// show the seats: never more than so many are under way, and so many mostly are.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "requests/open_requests.h"

namespace gordian {

class QueuesInPackets {
 public:
  QueuesInPackets(const Timeline& timeline, const TokenTurns& turns);

  // Requests stand at that thread while it sleeps at those times. The port that its process asks
  // and that had no seat left meanwhile; 0: none.
  uint16_t PortStoodFor(EntityId thread, std::span<const OpenStretch> asleep) const;

  // Whether requests that sleep by a timer before they ask there have looked for a seat and found
  // none: hardly one of these sleeps begins while a seat is free.
  bool IsLookedFor(uint16_t port) const { return looked_for_.contains(port); }

 private:
  std::pair<uint32_t, int32_t> ProcessOf(EntityId thread) const;
  void FindLookers();

  const Timeline& timeline_;
  const TokenTurns& turns_;
  std::map<std::pair<uint32_t, int32_t>, std::vector<uint16_t>> ports_;  // by process
  std::set<uint16_t> looked_for_;
};

// When the thread slept within those times.
std::vector<OpenStretch> SleepsWithin(const Timeline& timeline, EntityId thread, uint64_t from_ns,
                                      uint64_t to_ns);
uint64_t LengthOf(std::span<const OpenStretch> stretches);
// The thread that ended the longest of these sleeps; kNobody: something else did.
EntityId WhoEndsSleeps(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
