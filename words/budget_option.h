// SPDX-License-Identifier: Apache-2.0
// Budgets of recording as people write them: "2%", "0.5%" or "2", of all CPUs' time, or "none".
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace gordian {

inline constexpr const char* kBudgetForm = "a share of all CPUs' time from 0.5% to 50%, or none";

// In millionths; 0 for "none", nullopt for anything that is no budget.
inline std::optional<uint32_t> ParseBudgetPpm(const std::string& text) {
  constexpr double kLeastPercent = 0.5;
  constexpr double kMostPercent = 50;
  if (text == "none") return 0;
  double percent = 0;
  if (!absl::SimpleAtod(absl::StripSuffix(text, "%"), &percent)) return std::nullopt;
  if (!(percent >= kLeastPercent && percent <= kMostPercent)) return std::nullopt;
  return static_cast<uint32_t>(std::lround(percent * 1e4));
}

}  // namespace gordian
