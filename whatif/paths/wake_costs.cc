// SPDX-License-Identifier: Apache-2.0
// The CPU time of a wake, and of going to sleep, from all threads of a recording.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "whatif/paths/calls_of_stacks.h"
#include "whatif/paths/paths.h"
#include "whatif/paths/thresholds.h"

namespace gordian {
namespace {

// The system calls in which a vertex' threads wait for threads with samples of their own.
std::map<uint32_t, std::set<std::string>> CallsOfWaitsForThreads(const StackSums& stacks,
                                                                 const Code& code) {
  std::map<uint32_t, WeighedCalls> by_vertex;
  for (const StackSum& sum : stacks.all()) {
    if (sum.side != StackSide::kWaiter || stacks.Of(sum.to, sum.to, StackSide::kRunning).empty())
      continue;
    by_vertex.try_emplace(sum.from, 0)
        .first->second.Add(std::span(&sum, 1), code, StackSide::kWaiter);
  }
  std::map<uint32_t, std::set<std::string>> calls;
  for (auto& [vertex, weighed] : by_vertex) calls[vertex] = weighed.Take();
  return calls;
}

// Of the costs half by weight are less.
uint64_t MedianCostNs(std::vector<std::pair<double, double>> costs) {
  double all = 0, below = 0;
  for (const auto& cost : costs) all += cost.second;
  std::sort(costs.begin(), costs.end());
  for (const auto& [cost_ns, weight] : costs) {
    below += weight;
    if (2 * below >= all) return static_cast<uint64_t>(cost_ns);
  }
  return 0;
}

std::map<uint32_t, double> RunTimesByVertex(const Score& score,
                                            std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, double> run_ns;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    double& its_run_ns = run_ns[score.VertexOf(thread, vertex_of_entity)];
    for (const Step& step : score.StepsOf(thread)) {
      if (step.kind == StepKind::kRun) its_run_ns += static_cast<double>(step.duration_ns);
    }
  }
  return run_ns;
}

// `times`, by vertex, is how often its threads did that.
uint64_t CostNs(const Score& score, std::span<const WakeShare> shares, double WakeShare::*share,
                const std::map<uint32_t, double>& times,
                std::span<const uint32_t> vertex_of_entity) {
  const std::map<uint32_t, double> run_ns = RunTimesByVertex(score, vertex_of_entity);
  std::vector<std::pair<double, double>> costs;  // and their weights
  for (const WakeShare& of_vertex : shares) {
    const auto count = times.find(of_vertex.vertex), its_run_ns = run_ns.find(of_vertex.vertex);
    if (count == times.end() || its_run_ns == run_ns.end() ||
        count->second < static_cast<double>(kFewestWakes))
      continue;
    costs.emplace_back(of_vertex.*share * its_run_ns->second / count->second, count->second);
  }
  return MedianCostNs(std::move(costs));
}

}  // namespace

std::vector<WakeShare> WakeShares(const StackSums& stacks, const Code& code) {
  struct Sums {
    double all_ns = 0, wakes_ns = 0, sleeps_ns = 0;
    uint64_t samples = 0;
  };
  const auto calls = CallsOfWaitsForThreads(stacks, code);
  std::map<uint32_t, Sums> by_vertex;
  for (const StackSum& sum : stacks.all()) {
    if (sum.side != StackSide::kRunning) continue;
    Sums& its = by_vertex[sum.from];
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    its.all_ns += sum.estimate_ns;
    its.samples += SamplesIn(std::span(&sum, 1));
    const auto its_calls = calls.find(sum.from);
    if (IsInWake(path, code)) {
      if (!IsInInterrupt(path, code)) its.wakes_ns += sum.estimate_ns;
    } else if (its_calls != calls.end() && its_calls->second.count(CallOf(path, code, 0)) > 0) {
      its.sleeps_ns += sum.estimate_ns;
    }
  }
  std::vector<WakeShare> shares;
  for (const auto& [vertex, its] : by_vertex) {
    if (its.samples >= kFewestRunSamples && its.all_ns > 0)
      shares.push_back({vertex, its.wakes_ns / its.all_ns, its.sleeps_ns / its.all_ns});
  }
  return shares;
}

uint64_t WakeCostNs(const Score& score, std::span<const WakeShare> shares,
                    std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, double> wakes;
  for (const HandOverPair& pair : score.pairs)
    wakes[score.VertexOf(pair.waker, vertex_of_entity)] += pair.count;
  return CostNs(score, shares, &WakeShare::share, wakes, vertex_of_entity);
}

uint64_t SleepCostNs(const Score& score, std::span<const WakeShare> shares,
                     std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, double> waits;
  for (const HandOverPair& pair : score.pairs)
    waits[score.VertexOf(pair.waiter, vertex_of_entity)] += pair.count;
  return CostNs(score, shares, &WakeShare::sleep_share, waits, vertex_of_entity);
}

}  // namespace gordian
