// SPDX-License-Identifier: Apache-2.0
// How far a model is from its recording with nothing changed. Inner to the library.
#pragma once

#include <algorithm>
#include <cmath>

#include "whatif/requests/requests.h"

namespace gordian {

// Share of the recorded rate, or of the response time.
inline constexpr double kClearlyNearerTokens = 0.05;

// Of the recorded rate or response time, whichever is missed by more.
inline double MissOf(const TokenModel& model) {
  const TokenRates rates = PlayTokens(model, kTokenRequestsOfPart);
  return std::max(std::abs(rates.rate / model.recorded_rate - 1),
                  std::abs(rates.response_ns / model.recorded_response_ns - 1));
}

}  // namespace gordian
