// SPDX-License-Identifier: Apache-2.0
// Threads that stand in line for something that one of their kind has: a lock, a row, a connection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

struct WaitInLine {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  // Whoever ended it ended other waits of its kind at the same time: they shared what it did (a
  // group commit), and with more of them it is shared by more.
  bool is_shared = false;
};

// Of this vertex' threads for each other, by thread, in order of time. A thread that stands in line
// has something to do. So if other threads ever wait for answers of the vertex, a wait counts if
// for most of it another one waits for that very thread. All others of a pool or a scheduler (Go's,
// Java's) are idle, and wait for each other because somebody must wake them. Back ends that wait
// for the next question wait for no answer.
std::vector<std::vector<WaitInLine>> WaitsInLine(const Score& score, uint32_t vertex,
                                                 std::span<const uint32_t> vertex_of_entity);

// The share of the recording in which any of them stands in line for what cannot be shared.
// Something scarce is in use then: as often as that, more threads cannot have it.
double ShareInUse(const Score& score, std::span<const std::vector<WaitInLine>> waits_in_line);

// False if it is known that nobody stands in line for this vertex' threads: more of them would find
// nothing to do. That is known of askers that wait for them for most of their lives, each for one
// answer, and are mostly answered several at a time, if the thread hardly ever works for somebody
// else while they wait. (A batch takes all who have come, so the next thread finds none.)
bool MayStandInLine(const Score& score, uint32_t vertex,
                    std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
