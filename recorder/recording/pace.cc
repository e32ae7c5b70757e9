// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/pace.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr double kShortestWindowNs = 1e9;
constexpr double kLongestWindowNs = 10e9;
constexpr double kWindowsInARecording = 256;  // about, while they grow
constexpr auto kLongestPauseInWindows = static_cast<uint64_t>(1 / CostLedger::kLeastDuty) - 1;
// Less is not worth the detaching.
constexpr double kShortestPauseNs = 0.25e9;

}  // namespace

Pace::Pace(const CostLedger& ledger, uint64_t start_ns)
    : ledger_(ledger),
      start_ns_(start_ns),
      random_(static_cast<std::minstd_rand::result_type>(start_ns)),
      since_ns_(start_ns),
      window_until_ns_(start_ns + static_cast<uint64_t>(kShortestWindowNs)) {}

double Pace::WindowNs(uint64_t now_ns) const {
  const auto passed_ns = static_cast<double>(now_ns - start_ns_);
  return std::clamp(passed_ns / kWindowsInARecording, kShortestWindowNs, kLongestWindowNs);
}

bool Pace::GoesOn(uint64_t now_ns) {
  const auto lasted_ns = static_cast<double>(now_ns - since_ns_);
  if (lasted_ns < CostLedger::kLeastWindowNs) return true;
  if (ledger_.AreTenSecondsUsedUp()) return false;
  return now_ns < window_until_ns_ ||
         ledger_.debt_ns() < ledger_.allowed_ns_per_ns() * kShortestPauseNs;
}

bool Pace::Begins(uint64_t now_ns) {
  if (now_ns >= pause_until_ns_) {
    ledger_.ForgiveDownTo(goes_on_at_debt_ns_);
    return true;
  }
  if (ledger_.debt_ns() > goes_on_at_debt_ns_) return false;
  if (cost_ns_per_ns_ > 0) {
    next_window_ns_ = std::clamp(ledger_.InTenSecondsNs() / cost_ns_per_ns_,
                                 CostLedger::kLeastWindowNs, next_window_ns_);
  }
  return ledger_.Affords(next_window_ns_, cost_ns_per_ns_);
}

bool Pace::Records(uint64_t now_ns, uint64_t cost_ns) {
  ledger_.Pay(now_ns, cost_ns);
  now_ns = ledger_.last_ns();
  std::uniform_real_distribution<double> share(0, 1);
  if (records_) {
    window_cost_ns_ += static_cast<double>(cost_ns);
    if (GoesOn(now_ns)) return true;
    goes_on_at_debt_ns_ = -ledger_.allowed_ns_per_ns() * kShortestPauseNs * share(random_);
    pause_until_ns_ = now_ns + kLongestPauseInWindows * (now_ns - since_ns_);
    cost_ns_per_ns_ = window_cost_ns_ / static_cast<double>(now_ns - since_ns_);
    next_window_ns_ =
        std::max(CostLedger::kLeastWindowNs, WindowNs(now_ns) * (0.75 + share(random_) / 2));
    since_ns_ = now_ns;
    return records_ = false;
  }
  if (!Begins(now_ns)) return false;
  since_ns_ = now_ns;
  window_cost_ns_ = 0;
  window_until_ns_ = now_ns + static_cast<uint64_t>(next_window_ns_);
  return records_ = true;
}

}  // namespace gordian
