// SPDX-License-Identifier: Apache-2.0
// Threads that a used-up CPU quota of their cgroup keeps from the CPUs.
#include <algorithm>

#include "whatif/edit/edit.h"

namespace gordian {
namespace {

std::vector<EntityId> ThreadsIn(const Score& score, const QuotaGroup& group,
                                std::span<const uint32_t> vertex_of_entity) {
  std::vector<EntityId> threads;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const uint32_t vertex = score.VertexOf(thread, vertex_of_entity);
    if (std::find(group.vertices.begin(), group.vertices.end(), vertex) != group.vertices.end())
      threads.push_back(thread);
  }
  return threads;
}

double RunNsOf(const Score& score, std::span<const EntityId> threads,
               std::span<const double> run_factor) {
  double run_ns = 0;
  for (const EntityId thread : threads) {
    double its_ns = 0;
    for (const Step& step : score.StepsOf(thread))
      if (step.kind == StepKind::kRun) its_ns += static_cast<double>(step.duration_ns);
    run_ns += its_ns * (run_factor.empty() ? 1 : run_factor[thread]);
  }
  return run_ns;
}

double HeldBackNsOf(const Score& score, std::span<const EntityId> threads) {
  double held_ns = 0;
  for (const EntityId thread : threads)
    for (const Step& step : score.StepsOf(thread))
      if (step.kind == StepKind::kOffCpu) held_ns += static_cast<double>(step.duration_ns);
  return held_ns;
}

// Of the time for which they are held back, so much is left.
double LeftAtQuota(double times, double run_ns, double held_ns) {
  if (held_ns <= 0) return 1;
  return std::max(0.0, (run_ns + held_ns) / times - run_ns) / held_ns;
}

}  // namespace

void LetQuotasFollowRuns(const Score& recorded, const Score& score,
                         std::span<const QuotaGroup> groups,
                         std::span<const uint32_t> vertex_of_entity, Variation& variation) {
  for (const QuotaGroup& group : groups) {
    const std::vector<EntityId> before = ThreadsIn(recorded, group, vertex_of_entity);
    const double before_ns = RunNsOf(recorded, before, {});
    if (before_ns <= 0) continue;
    const std::vector<EntityId> threads = ThreadsIn(score, group, vertex_of_entity);
    const double factor = RunNsOf(score, threads, variation.run_factor) / before_ns *
                          LeftAtQuota(group.times, before_ns, HeldBackNsOf(recorded, before));
    variation.off_cpu_factor.resize(score.threads(), 1);
    for (const EntityId thread : threads) variation.off_cpu_factor[thread] *= factor;
  }
}

}  // namespace gordian
