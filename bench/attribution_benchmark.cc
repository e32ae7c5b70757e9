// SPDX-License-Identifier: Apache-2.0
// Attribution at the size the design asks for: 10,000 phases, 20 resources, one hour in timeslices
// of 10 ms. Memory is the peak of the process.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "jobs/attribution/attribution.h"
#include "jobs/bottlenecks/bottlenecks.h"
#include "jobs/issues/issues.h"

namespace gordian {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kJobNs = 3600 * kSecond;
constexpr uint32_t kNodes = 4;
constexpr uint32_t kResourcesPerNode = 5;
constexpr uint32_t kThreads = 16;

// Supersteps of four workers (one on each node), each of sixteen threads; every phase lasts as long
// as its share of the hour, or all of them the whole hour.
Job MakeJob(uint32_t phases, uint64_t sample_ns, bool long_phases) {
  Job job;
  std::mt19937_64 random(1);
  job.model.types = {{"Job", kNoId, PhaseRepeat::kOnce, PhasePlace::kAnywhere, {}},
                     {"Superstep", 0, PhaseRepeat::kSequential, PhasePlace::kAnywhere, {}},
                     {"Worker", 1, PhaseRepeat::kConcurrent, PhasePlace::kNode, {}},
                     {"Thread", 2, PhaseRepeat::kConcurrent, PhasePlace::kProcess, {}}};
  for (uint32_t i = 0; i < kResourcesPerNode; ++i)
    job.model.resources.push_back(
        {"r" + std::to_string(i), ResourceKind::kConsumable, true, 100, ""});
  job.model.rules.resize(job.model.types.size() * kResourcesPerNode);
  job.model.rules[3 * kResourcesPerNode] = {RuleKind::kExact, 1.0 / kThreads};
  job.model.rules[3 * kResourcesPerNode + 1] = {RuleKind::kVariable, 3};
  const uint32_t per_step = 1 + kNodes * (1 + kThreads);
  const uint32_t steps = phases / per_step;
  const auto add = [&job](PhaseTypeId type, PhaseId parent, uint64_t start_ns, uint64_t end_ns,
                          uint32_t key) {
    Phase phase;
    phase.type = type;
    phase.parent = parent;
    phase.key = std::to_string(key);
    phase.start_ns = start_ns;
    phase.end_ns = end_ns;
    job.phases.push_back(phase);
    return static_cast<PhaseId>(job.phases.size() - 1);
  };
  add(0, kNoId, 0, kJobNs, 0);
  for (uint32_t s = 0; s < steps; ++s) {
    const uint64_t start_ns = long_phases ? 0 : kJobNs / steps * s;
    const uint64_t end_ns = long_phases ? kJobNs : kJobNs / steps * (s + 1);
    const PhaseId step = add(1, 0, start_ns, end_ns, s);
    for (uint32_t w = 0; w < kNodes; ++w) {
      const PhaseId worker = add(2, step, start_ns, end_ns, w);
      job.phases[worker].node = "n" + std::to_string(w);
      for (uint32_t t = 0; t < kThreads; ++t)
        add(3, worker, start_ns, end_ns - random() % ((end_ns - start_ns) / 2), t);
    }
  }
  for (uint32_t n = 0; n < kNodes; ++n) {
    for (uint32_t i = 0; i < kResourcesPerNode; ++i) {
      job.resources.push_back({i, "r" + std::to_string(i), "n" + std::to_string(n), 100});
      std::vector<ResourceSample>& samples = job.samples.emplace_back();
      for (uint64_t at_ns = 0; at_ns < kJobNs; at_ns += sample_ns)
        samples.push_back({at_ns, at_ns + sample_ns, static_cast<double>(random() % 101)});
    }
  }
  return job;
}

void SetMemory(benchmark::State& state) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

// Arguments: phases, milliseconds per sample, whether all phases last the whole hour.
void AttributeHour(benchmark::State& state) {
  const Job job = MakeJob(state.range(0), state.range(1) * 1'000'000, state.range(2) != 0);
  for (auto _ : state) {
    absl::StatusOr<Attribution> attribution = Attribute(job, {});
    if (!attribution.ok()) {
      std::fprintf(stderr, "%s\n", std::string(attribution.status().message()).c_str());
      std::exit(1);
    }
    benchmark::DoNotOptimize(attribution->resources[0].total_use);
  }
  SetMemory(state);
}
BENCHMARK(AttributeHour)
    ->Args({10'000, 1000, 0})
    ->Args({10'000, 100, 0})
    ->Args({10'000, 10, 0})
    ->Args({10'000, 1000, 1})
    ->Args({100'000, 1000, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void FindIssuesInHour(benchmark::State& state) {
  const Job job = MakeJob(state.range(0), state.range(1) * 1'000'000, false);
  const absl::StatusOr<Attribution> attribution = Attribute(job, {});
  for (auto _ : state) {
    const Bottlenecks bottlenecks = FindBottlenecks(job, *attribution, {});
    benchmark::DoNotOptimize(FindIssues(job, *attribution, bottlenecks, {}).ok());
  }
  SetMemory(state);
}
BENCHMARK(FindIssuesInHour)
    ->Args({10'000, 1000})
    ->Args({100'000, 1000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace gordian

BENCHMARK_MAIN();
