// SPDX-License-Identifier: Apache-2.0
// Answers with the ends that past predictions of their kind call for.
#include <algorithm>
#include <vector>

#include "whatif/ask/answer.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/job.h"
#include "whatif/ask/thresholds.h"
#include "whatif/calibration/calibration.h"

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
  made.set_programs(static_cast<uint32_t>(interval.programs));
  made.set_own_widen(interval.own_widen);
  TellJobTimes(answer);
  if (!answer.load().open_loop()) answer.set_verdict(VerdictOf(answer));
}

}  // namespace gordian
