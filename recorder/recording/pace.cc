#include "recorder/recording/pace.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr double kShortestWindowNs = 1e9;
constexpr double kLongestWindowNs = 10e9;
// Of a recording that is so dear that ten seconds' budget lasts for no longer.
constexpr double kLeastWindowNs = 0.25e9;
constexpr double kWindowsInARecording = 256;  // about, while they grow
constexpr uint64_t kLongestPauseInWindows = 19;
// Less is not worth the detaching.
constexpr double kShortestPauseNs = 0.25e9;
// The rest is for unmeasured costs (interrupts to attach), and for the error of measuring a tenth
// of the time.
constexpr double kOfTheBudget = 0.8;
constexpr double kOfTenSeconds = 0.9;
constexpr double kOfIncomeForTheStart = 0.5;

}  // namespace

Pace::Pace(double share, int cpus, uint64_t start_ns, uint64_t start_cost_ns)
    : cpus_(cpus),
      start_ns_(start_ns),
      random_(static_cast<std::minstd_rand::result_type>(start_ns)),
      last_ns_(start_ns),
      loan_ns_(static_cast<double>(start_cost_ns)),
      since_ns_(start_ns),
      window_until_ns_(start_ns + static_cast<uint64_t>(kShortestWindowNs)) {
  SetShare(share);
  debt_ns_ = -allowed_ns_per_ns_ * kShortestWindowNs;
  const uint64_t half_ns = static_cast<uint64_t>(InTenSecondsNs() / 2);
  start_beyond_ns_ = start_cost_ns - std::min(start_cost_ns, half_ns);
  costs_.Add(start_ns, start_cost_ns - start_beyond_ns_);
}

void Pace::SetShare(double share) { allowed_ns_per_ns_ = kOfTheBudget * share * cpus_; }

double Pace::InTenSecondsNs() const {
  return kOfTenSeconds / kOfTheBudget * allowed_ns_per_ns_ *
         static_cast<double>(CostWindow::kWindowNs);
}

double Pace::WindowNs(uint64_t now_ns) const {
  const auto passed_ns = static_cast<double>(now_ns - start_ns_);
  return std::clamp(passed_ns / kWindowsInARecording, kShortestWindowNs, kLongestWindowNs);
}

void Pace::Pay(uint64_t now_ns, uint64_t cost_ns) {
  double paid_ns = allowed_ns_per_ns_ * static_cast<double>(now_ns - last_ns_);
  last_ns_ = now_ns;
  const double for_start_ns = std::min(loan_ns_, kOfIncomeForTheStart * paid_ns);
  loan_ns_ -= for_start_ns;
  paid_ns -= for_start_ns;
  debt_ns_ += static_cast<double>(cost_ns);
  // An unused budget is hardly saved up: a quiet hour is no excuse for a dear one.
  debt_ns_ = std::max(debt_ns_ - paid_ns, -allowed_ns_per_ns_ * kShortestWindowNs);
  costs_.Add(now_ns, cost_ns);
  if (records_) window_cost_ns_ += static_cast<double>(cost_ns);
}

bool Pace::GoesOn(uint64_t now_ns) {
  const auto lasted_ns = static_cast<double>(now_ns - since_ns_);
  const bool is_used_up = static_cast<double>(costs_.SumNs(now_ns)) >= InTenSecondsNs();
  if (lasted_ns < kLeastWindowNs) return true;
  if (!is_used_up && now_ns < window_until_ns_) return true;
  return !is_used_up && debt_ns_ < allowed_ns_per_ns_ * kShortestPauseNs;
}

// Whether the window to come can last within what ten seconds may cost, and all is paid.
bool Pace::Begins(uint64_t now_ns) {
  if (now_ns >= pause_until_ns_) {
    debt_ns_ = std::min(debt_ns_, goes_on_at_debt_ns_);
    return true;
  }
  if (debt_ns_ > goes_on_at_debt_ns_) return false;
  const double most_ns = InTenSecondsNs();
  if (cost_ns_per_ns_ > 0)
    next_window_ns_ = std::clamp(most_ns / cost_ns_per_ns_, kLeastWindowNs, next_window_ns_);
  const auto later_ns = static_cast<uint64_t>(next_window_ns_);
  const auto before_ns = static_cast<double>(costs_.SumLaterNs(now_ns, later_ns));
  return before_ns + next_window_ns_ * cost_ns_per_ns_ <= most_ns;
}

bool Pace::Records(uint64_t now_ns, uint64_t cost_ns) {
  now_ns = std::max(now_ns, last_ns_);
  Pay(now_ns, cost_ns);
  std::uniform_real_distribution<double> share(0, 1);
  if (records_) {
    if (GoesOn(now_ns)) return true;
    goes_on_at_debt_ns_ = -allowed_ns_per_ns_ * kShortestPauseNs * share(random_);
    pause_until_ns_ = now_ns + kLongestPauseInWindows * (now_ns - since_ns_);
    cost_ns_per_ns_ = window_cost_ns_ / static_cast<double>(now_ns - since_ns_);
    next_window_ns_ = WindowNs(now_ns) * (0.75 + share(random_) / 2);
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
