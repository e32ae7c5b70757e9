// What threads save in CPU time that find more to do instead of going to sleep.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "whatif/replay.h"
#include "whatif/score.h"
#include "whatif/simulation.h"

namespace gordian {

// Times that threads stopped running to wait, by vertex.
using Sleeps = std::map<uint32_t, uint64_t>;
Sleeps SleepsByVertex(const Score& score, const Outcome& outcome,
                      std::span<const uint32_t> vertex_of_entity);

// How often each vertex hands over to which.
using WakesByVertex = std::map<uint32_t, std::map<uint32_t, uint64_t>>;
WakesByVertex CountWakes(const Score& score, std::span<const uint32_t> vertex_of_entity);

// The shares of the vertices' CPU time that are saved if there are `now` so many sleeps instead of
// `before` for the same work: of each cost as much as of the sleeps of who sleeps, or is woken.
std::map<uint32_t, double> SavedShares(std::span<const SleepCost> costs, double SleepCost::*share,
                                       const WakesByVertex& wakes, const Sleeps& before,
                                       const Sleeps& now);

// Factors of CPU time, by thread: what is saved is gone.
std::vector<double> RunFactors(const Score& score, const std::map<uint32_t, double>& saved,
                               std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
