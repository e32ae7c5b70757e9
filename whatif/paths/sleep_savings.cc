// SPDX-License-Identifier: Apache-2.0
// The CPU time saved by threads that find more to do instead of going to sleep.
#include <algorithm>

#include "whatif/paths/paths.h"
#include "whatif/paths/thresholds.h"

namespace gordian {
namespace {

// The share of the vertex' sleeps that are gone.
double Gone(uint32_t vertex, const Sleeps& before, const Sleeps& now) {
  const auto was = before.find(vertex), is = now.find(vertex);
  if (was == before.end() || is == now.end() || was->second == 0) return 0;
  return std::max(0.0, 1 - static_cast<double>(is->second) / static_cast<double>(was->second));
}

double GoneOfWoken(uint32_t waker, const WakesByVertex& wakes, const Sleeps& before,
                   const Sleeps& now) {
  const auto woken = wakes.find(waker);
  if (woken == wakes.end()) return 0;
  double all = 0, gone = 0;
  for (const auto& [vertex, count] : woken->second) {
    all += static_cast<double>(count);
    gone += static_cast<double>(count) * Gone(vertex, before, now);
  }
  return all > 0 ? gone / all : 0;
}

}  // namespace

Sleeps SleepsByVertex(const Score& score, const PlayOutcome& outcome,
                      std::span<const uint32_t> vertex_of_entity) {
  Sleeps sleeps;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    sleeps[score.VertexOf(thread, vertex_of_entity)] += outcome.threads[thread].sleeps;
  return sleeps;
}

WakesByVertex CountWakes(const Score& score, std::span<const uint32_t> vertex_of_entity) {
  WakesByVertex wakes;
  for (const HandOverPair& pair : score.pairs) {
    wakes[score.VertexOf(pair.waker, vertex_of_entity)]
         [score.VertexOf(pair.waiter, vertex_of_entity)] += pair.count;
  }
  return wakes;
}

std::map<uint32_t, double> SavedShares(std::span<const SleepCost> costs, double SleepCost::*share,
                                       const WakesByVertex& wakes, const Sleeps& before,
                                       const Sleeps& now) {
  std::map<uint32_t, double> saved;
  for (const SleepCost& cost : costs) {
    const double gone = cost.of_waking ? GoneOfWoken(cost.vertex, wakes, before, now)
                                       : Gone(cost.vertex, before, now);
    double& of_vertex = saved[cost.vertex];
    of_vertex = std::min(kMostSaved, of_vertex + gone * cost.*share);
  }
  return saved;
}

std::vector<double> RunFactors(const Score& score, const std::map<uint32_t, double>& saved,
                               std::span<const uint32_t> vertex_of_entity) {
  std::vector<double> factors(score.threads(), 1);
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const auto of_vertex = saved.find(score.VertexOf(thread, vertex_of_entity));
    if (of_vertex != saved.end()) factors[thread] = 1 - of_vertex->second;
  }
  return factors;
}

}  // namespace gordian
