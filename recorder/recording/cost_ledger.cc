// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/cost_ledger.h"

#include <algorithm>

namespace gordian {
namespace {

// The rest is for unmeasured costs (interrupts to attach), and for the error of measuring a tenth
// of the time.
constexpr double kOfTheBudget = 0.8;
constexpr double kOfTenSeconds = 0.9;
constexpr double kOfIncomeForTheStart = 0.5;

}  // namespace

CostLedger::CostLedger(double share, int cpus, uint64_t start_ns, uint64_t start_cost_ns)
    : cpus_(cpus), last_ns_(start_ns), loan_ns_(static_cast<double>(start_cost_ns)) {
  SetShare(share);
  debt_ns_ = -allowed_ns_per_ns_ * kSavedUpBeforeNs;
  const auto half_ns = static_cast<uint64_t>(InTenSecondsNs() / 2);
  start_beyond_ns_ = start_cost_ns - std::min(start_cost_ns, half_ns);
  costs_.Add(start_ns, start_cost_ns - start_beyond_ns_);
}

void CostLedger::SetShare(double share) { allowed_ns_per_ns_ = kOfTheBudget * share * cpus_; }

double CostLedger::InTenSecondsNs() const {
  return kOfTenSeconds / kOfTheBudget * allowed_ns_per_ns_ *
         static_cast<double>(CostWindow::kWindowNs);
}

double CostLedger::free_ns_per_ns() const {
  return loan_ns_ > 0 ? (1 - kOfIncomeForTheStart) * allowed_ns_per_ns_ : allowed_ns_per_ns_;
}

void CostLedger::Pay(uint64_t now_ns, uint64_t cost_ns) {
  now_ns = std::max(now_ns, last_ns_);
  double paid_ns = allowed_ns_per_ns_ * static_cast<double>(now_ns - last_ns_);
  last_ns_ = now_ns;
  const double for_start_ns = std::min(loan_ns_, kOfIncomeForTheStart * paid_ns);
  loan_ns_ -= for_start_ns;
  paid_ns -= for_start_ns;
  debt_ns_ += static_cast<double>(cost_ns);
  // What is saved up beyond the second is used, and not replaced.
  const double least_ns = std::min(debt_ns_, -allowed_ns_per_ns_ * kSavedUpNs);
  debt_ns_ = std::max(debt_ns_ - paid_ns, least_ns);
  costs_.Add(now_ns, cost_ns);
}

void CostLedger::ForgiveDownTo(double debt_ns) { debt_ns_ = std::min(debt_ns_, debt_ns); }

bool CostLedger::Affords(double window_ns, double cost_ns_per_ns) {
  const auto affords_until = [&](double later_ns) {
    const uint64_t before_ns = costs_.SumLaterNs(last_ns_, static_cast<uint64_t>(later_ns));
    return static_cast<double>(before_ns) + later_ns * cost_ns_per_ns <= InTenSecondsNs();
  };
  // What leaves the ten seconds late in the window, as the start's cost may, does not pay for its
  // beginning, which is recorded in any case.
  return affords_until(std::min(window_ns, kLeastWindowNs)) && affords_until(window_ns);
}

}  // namespace gordian
