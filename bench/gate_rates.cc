// SPDX-License-Identifier: Apache-2.0
// How often `gordian diff --fail-if 'throughput<-5%'` is wrong, and how often it finds a real
// change: by runs that are made up (gate/test_runs.h). Prints a table for docs/gate.md.
// usage: gate_rates [TRIALS]
#include <cstdio>
#include <cstdlib>

#include "gate/test_runs.h"

int main(int argc, char** argv) {
  using gordian::testing::AnswersOf;
  using gordian::testing::Rates;
  const int trials = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (trials <= 0) {
    std::fprintf(stderr, "gate_rates: usage: gate_rates [TRIALS]\n");
    return 2;
  }
  constexpr double kChanges[] = {0, -0.05, -0.08, -0.1, -0.2};
  std::printf("share of %d trials in which throughput<-5%% holds / is undecided\n", trials);
  std::printf("| program | recordings a side |");
  for (const double change : kChanges) std::printf(" %+.0f %% |", 100 * change);
  std::printf("\n");
  uint64_t seed = 1;
  for (const auto& model : gordian::testing::RunModels()) {
    for (const size_t recordings : {1u, 2u, 3u, 5u, 10u}) {
      std::printf("| %s | %zu |", model.name, recordings);
      for (const double change : kChanges) {
        const Rates rates = AnswersOf(model, change, recordings, trials, ++seed);
        std::printf(" %.1f / %.1f |", 100 * rates.holds, 100 * rates.undecided);
      }
      std::printf("\n");
    }
  }
  return 0;
}
