// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/lost_order.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "whatif/ask/thresholds.h"

namespace gordian {
namespace {

bool AddsNoWork(const pb::WhatIfChange& change) {
  const std::string& kind = change.kind();
  if (kind == "scale" || kind == "timer" || kind == "run" || kind == "function")
    return change.factor() <= 1;
  if (kind == "quota") return change.factor() >= 1;
  return kind != "cpus";
}

// Who waits for a CPU for a tenth of the time loses a tenth by that, and no more.
bool IsLossAtCpus(const pb::WhatIfReading& reading) {
  return reading.limit_kind() == kLimitedByCpus &&
         (reading.limit_name().empty() || reading.gain() >= 1 - reading.limit_share());
}

// Small losses are the replay's noise.
std::vector<double> GainsThatCanBe(const pb::WhatIf& answer) {
  std::vector<double> gains;
  for (const pb::WhatIfReading* reading : ReadingsOf(answer)) {
    if (IsLossAtCpus(*reading))
      gains.push_back(reading->gain());
    else if (reading->gain() > kLeastOfGiven)
      gains.push_back(std::max(1.0, reading->gain()));
  }
  return gains;
}

}  // namespace

std::vector<const pb::WhatIfReading*> ReadingsOf(const pb::WhatIf& answer) {
  std::vector<const pb::WhatIfReading*> readings;
  if (!answer.calls_gone()) readings.push_back(&answer.wait_alone());
  readings.push_back(&answer.with_path());
  for (const pb::WhatIfReading& reading : answer.other_paths()) readings.push_back(&reading);
  return readings;
}

bool OnlyGives(const pb::WhatIf& answer) {
  return std::all_of(answer.changes().begin(), answer.changes().end(), AddsNoWork);
}

void LeaveLossesOut(pb::WhatIf& answer) {
  if (!OnlyGives(answer) || answer.expected() >= 1 / kNoGain) return;
  const auto readings = ReadingsOf(answer);
  if (std::all_of(readings.begin(), readings.end(),
                  [](const pb::WhatIfReading* reading) { return IsLossAtCpus(*reading); }))
    return;
  answer.set_lost_gain(answer.expected());
  const std::vector<double> gains = GainsThatCanBe(answer);
  if (gains.empty()) return;
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  answer.set_expected(std::sqrt(*least * *most));
  answer.set_low(std::max(answer.low(), std::min(*least, kLeastOfGiven)));
  answer.set_high(std::max(answer.high(), answer.expected()));
}

bool HasLostItsOrder(const pb::WhatIf& answer) {
  return answer.lost_gain() > 0 && GainsThatCanBe(answer).empty();
}

}  // namespace gordian
