// SPDX-License-Identifier: Apache-2.0
// Answers with the ends that past predictions of their kind call for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "whatif/ask/answer.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/job.h"
#include "whatif/ask/lost_order.h"
#include "whatif/ask/thresholds.h"
#include "whatif/calibration/calibration.h"
#include "whatif/calibration/thresholds.h"

namespace gordian {
namespace {

PastPrediction PastOf(const pb::PredictionScore& score) {
  const bool has_model = score.model_low() > 0 && score.model_low() <= score.expected() &&
                         score.expected() <= score.model_high();
  return {.program = score.change(),  // the same fix counts once, however often it was checked
          .told = {.change = score.change_kind(),
                   .by_requests = score.by_requests(),
                   .at_least = score.at_least(),
                   .low = has_model ? score.model_low() : score.expected(),
                   .expected = score.expected(),
                   .high = has_model ? score.model_high() : score.expected()},
          .measured = score.measured(),
          .is_own = true};
}

// What becomes k times as fast, or is there k times, gains no more than k times: so much would come
// if all else became so, too. Infinity: the change has no such number.
double MostOf(const pb::WhatIfChange& change) {
  const std::string& kind = change.kind();
  const double factor = change.factor();
  if (kind == "in-flight" || kind == "clients" || kind == "quota") return std::max(1.0, factor);
  const bool is_faster =
      (kind == "timer" || kind == "run" || kind == "function" || kind == "scale") && factor > 0;
  return is_faster ? std::max(1.0, 1 / factor) : std::numeric_limits<double>::infinity();
}

// No past error makes more of it. But two measurements of one fix differ, and what a fix saves that
// does many operations in one is no part of this.
void KeepBelowTheChange(pb::WhatIf& answer) {
  if (answer.at_least()) return;
  double most = 1;
  for (const pb::WhatIfChange& change : answer.changes()) most = std::max(most, MostOf(change));
  answer.set_expected(std::min(answer.expected(), most));
  answer.set_low(std::min(answer.low(), answer.expected()));
  answer.set_high(std::min(answer.high(), most * std::exp(kLeastScale)));
}

}  // namespace

void Calibrate(std::span<const pb::PredictionScore* const> own, pb::WhatIf& answer) {
  if (answer.changes().empty() || answer.expected() <= 0) return;
  pb::WhatIfCalibration& made = *answer.mutable_calibration();
  if (made.model_high() <= 0) {
    made.set_model_low(answer.low());
    made.set_model_high(answer.high());
  }
  std::vector<PastPrediction> past;
  for (const pb::PredictionScore* score : own) past.push_back(PastOf(*score));
  const CalibratedInterval interval = Calibrated({.change = answer.changes(0).kind(),
                                                  .by_requests = answer.has_requests(),
                                                  .at_least = answer.at_least(),
                                                  .low = made.model_low(),
                                                  .expected = answer.expected(),
                                                  .high = made.model_high()},
                                                 ShippedPredictions(), past);
  answer.set_low(OnlyGives(answer)
                     ? std::max(interval.low, std::min(kLeastOfGiven, made.model_low()))
                     : interval.low);
  answer.set_high(interval.high);
  KeepBelowTheChange(answer);
  made.set_programs(static_cast<uint32_t>(interval.programs));
  made.set_own_widen(interval.own_widen);
  TellJobTimes(answer);
  if (!answer.load().open_loop()) answer.set_verdict(VerdictOf(answer));
}

}  // namespace gordian
