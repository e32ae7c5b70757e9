// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_sleeps.h"

namespace gordian {
namespace {

// Of what threads of a station slept. Without most of it, what is told is no sample of what is not:
// a program whose work changes threads (Go) would be made to fit.
constexpr double kLeastSleepTold = 0.6;

bool IsSleepOf(const TokenStep& step, uint32_t vertex) {
  return step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer && step.who == vertex;
}

}  // namespace

void LengthenSleeps(TokenModel& model, uint32_t vertex, double slept_ns) {
  double told_ns = 0;
  for (const TokenStep& step : model.steps) told_ns += IsSleepOf(step, vertex) ? step.ns : 0;
  if (slept_ns <= told_ns || told_ns < kLeastSleepTold * slept_ns) return;
  for (TokenStep& step : model.steps)
    if (IsSleepOf(step, vertex)) step.ns *= slept_ns / told_ns;
}

}  // namespace gordian
