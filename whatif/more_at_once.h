// More requests under way at a time: a larger pool or limit, pipelining, more clients.
//
// A recording tells how requests go round when there are as many as there were. It is cut into
// `times` stretches with equally many events of progress, and these are played at the same time:
// each brings as many requests as were under way before. All of them go through the same threads,
// CPUs and disks: of what a thread does in several stretches one thing runs at a time (Seats), in
// between its waits for requests and answers overlap.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "whatif/replay.h"
#include "whatif/score.h"

namespace gordian {

// By thread: whether requests of the vertex' threads go through it, over any number of hand-overs.
// Kernel threads only if they hand over to such a thread, or such a one to them.
std::vector<uint8_t> ThreadsTogether(const Score& score, uint32_t vertex,
                                     std::span<const uint32_t> vertex_of_entity);

// Whether a thread that waits so can do something else meanwhile, where that is known.
class WaitsInLoops {
 public:
  WaitsInLoops(std::span<const LoopShare> shares, bool unless_known)
      : shares_(shares), unless_known_(unless_known) {}
  // Vertices.
  bool IsInLoop(uint32_t from, uint32_t to) const;

 private:
  std::span<const LoopShare> shares_;
  bool unless_known_;
};

// Waits for whoever brings requests never keep a thread from taking others. Those for whoever works
// for it (who is farther from where the requests come, and waits for it in turn: so not the one
// before it in a ring), for timers and devices do, unless it waits in a loop for events of any
// kind. Requests of `more.vertex` itself are as many times as many.
Score PlayStretchesAtOnce(const Score& score, const MoreAtOnce& more, const WaitsInLoops& loops,
                          std::span<const uint32_t> vertex_of_entity);

// What the gain cannot exceed, as the vertex' threads remain as many as they are: of those who wait
// mostly for each other, in line for what is scarce, each has one request at a time. Infinite for
// all others.
double MostOfSoManyThreads(const Score& score, uint32_t vertex,
                           std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
