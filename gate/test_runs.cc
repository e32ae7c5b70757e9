// SPDX-License-Identifier: Apache-2.0
#include "gate/test_runs.h"

#include <array>
#include <cmath>

#include "gate/thresholds.h"

namespace gordian::testing {
namespace {

constexpr size_t kSlotsOfPart = 16;

}  // namespace

std::span<const RunModel> RunModels() {
  static constexpr std::array<RunModel, 6> kModels = {{
      {.name = "steady"},
      {.name = "few events", .events = 400},
      {.name = "wanders 10 % for 1/100", .wander = 0.1},
      {.name = "wanders 10 % for 1/16", .wander = 0.1, .wander_share = 1.0 / 16},
      {.name = "wanders 10 % for 1/4", .wander = 0.1, .wander_share = 0.25},
      {.name = "runs differ by 2 %", .wander = 0.1, .run_to_run = 0.02},
  }};
  return kModels;
}

// The rate's logarithm returns to its mean: with each slot it keeps a part, and gets some chance.
Sample RunOnce(const RunModel& model, double change, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const uint64_t parts = kGateParts + 2 * kGateEndParts;
  const double slots = static_cast<double>(parts * kSlotsOfPart);
  const double kept = std::exp(-1 / (model.wander_share * slots));
  const double run = (1 + change) * std::exp(model.run_to_run * normal(random));
  double off = model.wander * normal(random);
  Sample sample;
  for (uint64_t part = 0; part < parts; ++part) {
    double expected = 0;
    for (size_t slot = 0; slot < kSlotsOfPart; ++slot) {
      expected += model.events / slots * run * std::exp(off);
      off = kept * off + std::sqrt(1 - kept * kept) * model.wander * normal(random);
    }
    const auto events = static_cast<double>(std::poisson_distribution<int64_t>(expected)(random));
    sample.value += events;
    if (part >= kGateEndParts && part < parts - kGateEndParts) sample.parts.push_back(events);
  }
  return sample;
}

Rates AnswersOf(const RunModel& model, double change, size_t recordings, int trials,
                uint64_t seed) {
  std::mt19937_64 random(seed);
  Rates rates;
  const double share = 1.0 / trials;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Sample> before, after;
    for (size_t i = 0; i < recordings; ++i) {
      before.push_back(RunOnce(model, 0, random));
      after.push_back(RunOnce(model, change, random));
    }
    const Answer answer = Decide(before, after, {.factor = 0.95, .offset = 0, .above = false},
                                 ChangeKind::kRelative, 0.05);
    (answer.outcome == Outcome::kHolds      ? rates.holds
     : answer.outcome == Outcome::kHoldsNot ? rates.holds_not
                                            : rates.undecided) += share;
  }
  return rates;
}

}  // namespace gordian::testing
