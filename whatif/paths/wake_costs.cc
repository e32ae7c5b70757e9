// SPDX-License-Identifier: Apache-2.0
// The CPU time of a wake, from all threads of a recording.
#include <algorithm>
#include <map>
#include <utility>

#include "whatif/paths/calls_of_stacks.h"
#include "whatif/paths/paths.h"
#include "whatif/paths/thresholds.h"

namespace gordian {

std::vector<WakeShare> WakeShares(const StackSums& stacks, const Code& code) {
  struct Sums {
    double all_ns = 0, wakes_ns = 0;
    uint64_t samples = 0;
  };
  std::map<uint32_t, Sums> by_vertex;
  for (const StackSum& sum : stacks.all()) {
    if (sum.side != StackSide::kRunning) continue;
    Sums& its = by_vertex[sum.from];
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    its.all_ns += sum.estimate_ns;
    its.samples += SamplesIn(std::span(&sum, 1));
    if (IsInWake(path, code) && !IsInInterrupt(path, code)) its.wakes_ns += sum.estimate_ns;
  }
  std::vector<WakeShare> shares;
  for (const auto& [vertex, its] : by_vertex) {
    if (its.samples >= kFewestRunSamples && its.all_ns > 0)
      shares.push_back({vertex, its.wakes_ns / its.all_ns});
  }
  return shares;
}

uint64_t WakeCostNs(const Score& score, std::span<const WakeShare> shares,
                    std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, double> run_ns;
  std::map<uint32_t, double> wakes;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    double& its_run_ns = run_ns[score.VertexOf(thread, vertex_of_entity)];
    for (const Step& step : score.StepsOf(thread)) {
      if (step.kind == StepKind::kRun) its_run_ns += static_cast<double>(step.duration_ns);
    }
  }
  for (const HandOverPair& pair : score.pairs)
    wakes[score.VertexOf(pair.waker, vertex_of_entity)] += pair.count;
  std::vector<std::pair<double, double>> costs;  // and their weights
  double all = 0;
  for (const WakeShare& share : shares) {
    const double count = wakes[share.vertex];
    if (count < static_cast<double>(kFewestWakes)) continue;
    costs.emplace_back(share.share * run_ns[share.vertex] / count, count);
    all += count;
  }
  std::sort(costs.begin(), costs.end());
  double below = 0;
  for (const auto& [cost_ns, weight] : costs) {
    below += weight;
    if (2 * below >= all) return static_cast<uint64_t>(cost_ns);
  }
  return 0;
}

}  // namespace gordian
