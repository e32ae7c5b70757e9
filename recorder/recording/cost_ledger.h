// SPDX-License-Identifier: Apache-2.0
// What a recording with a budget owes, and what it may still cost.
//
// In the long run the cost of recording is a debt, which the budget pays off as time goes by. In
// the short run the last ten seconds may cost no more than their budget.
//
// The cost of starting comes at once, before anything was recorded. It is paid for with half of the
// budget, so that something is recorded meanwhile. If it is more than half of what ten seconds
// have, the rest is not among their cost: only on a machine of few CPUs.
#pragma once

#include <cstdint>

#include "recorder/recording/cost_window.h"

namespace gordian {

class CostLedger {
 public:
  // At least this part of the time is recorded: a recorder that never sees the program is of no
  // use, however little it costs.
  static constexpr double kLeastDuty = 1.0 / 20;
  // As long as this something is recorded in each window, however dear it is.
  static constexpr double kLeastWindowNs = 0.25e9;
  // An unused budget is saved up for so long: a quiet hour is no excuse for a dear one.
  static constexpr double kSavedUpNs = 1e9;
  // Before a recording nothing was spent. So it begins with what ten seconds may cost. With less, a
  // recording that is cheap in the long run pauses after its first second: new threads, names and
  // unwinding tables are read then.
  static constexpr double kSavedUpBeforeNs = CostWindow::kWindowNs;

  // `share` of the time of `cpus` CPUs, more than 0.
  CostLedger(double share, int cpus, uint64_t start_ns, uint64_t start_cost_ns);
  void SetShare(double share);

  // The cost since the last call. Times never decrease.
  void Pay(uint64_t now_ns, uint64_t cost_ns);

  double debt_ns() const { return debt_ns_; }
  void ForgiveDownTo(double debt_ns);
  // What the budget pays in each nanosecond.
  double allowed_ns_per_ns() const { return allowed_ns_per_ns_; }
  // … of that, what is left for recording while the start is paid for.
  double free_ns_per_ns() const;

  double InTenSecondsNs() const;  // what they may cost
  bool AreTenSecondsUsedUp() {
    return static_cast<double>(costs_.SumNs(last_ns_)) >= InTenSecondsNs();
  }
  // Whether the ten seconds that end with it may hold a window of that length and cost, too.
  bool Affords(double window_ns, double cost_ns_per_ns);

  uint64_t last_ns() const { return last_ns_; }
  // How much more than their budget the ten seconds around the start cost.
  uint64_t start_beyond_ns() const { return start_beyond_ns_; }

 private:
  const int cpus_;
  double allowed_ns_per_ns_ = 0;
  uint64_t last_ns_;
  double debt_ns_ = 0;
  double loan_ns_;  // of the start's cost
  uint64_t start_beyond_ns_ = 0;
  CostWindow costs_;
};

}  // namespace gordian
