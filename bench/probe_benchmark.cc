// SPDX-License-Identifier: Apache-2.0
// The cost of a probe: without a recorder, and during a recording. The clock alone is measured
// beside it, because it is most of the cost and differs from machine to machine.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdio>

#include "gordian_probe.hpp"

namespace gordian {
namespace {

void Clock(benchmark::State& state) {
  timespec now{};
  for (auto _ : state) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    benchmark::DoNotOptimize(now);
  }
}
BENCHMARK(Clock);

void Idle(benchmark::State& state) {
  probe_writer::gordian_probe_state.file->record_until_ns = 0;
  int lock = 0;
  for (auto _ : state) spin_begin(&lock);
}
BENCHMARK(Idle);

// As the recorder does: the deadline is renewed now and then.
template <typename Word>
void Record(benchmark::State& state, Word word) {
  auto* file = probe_writer::gordian_probe_state.file;
  uint64_t words = 0;
  for (auto _ : state) {
    if (words++ % 65536 == 0)
      file->record_until_ns = probe_writer::gordian_probe_now_ns() + 2'000'000'000;
    word();
  }
}
void Spin(benchmark::State& state) {
  int lock = 0;
  Record(state, [&lock] { spin_begin(&lock); });
}
void CountRows(benchmark::State& state) {
  Record(state, [] { count("rows", 7); });
}
void PhaseWithKey(benchmark::State& state) {
  Record(state, [] { phase_begin("compaction", "table-000123"); });
}
BENCHMARK(Spin);
BENCHMARK(CountRows);
BENCHMARK(PhaseWithKey);

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  if (gordian::probe_writer::gordian_probe_state.file == nullptr) {
    std::fprintf(stderr, "probe_benchmark: /dev/shm cannot be used here\n");
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
