// When a recording with a budget pauses, and when it goes on.
//
// Two rules hold it to its budget. In the long run the cost of recording is a debt, which the
// budget pays off as time goes by: a recording that has lasted for a window and owes much pauses
// until that is paid. And in no ten seconds it costs more than their budget: a window ends in time
// for that, and begins only when it can last. A recording that is cheap enough never pauses.
//
// At least a twentieth of the time is recorded: a recorder that never sees the program is of no
// use, however little it costs.
//
// Windows are of random lengths, so that no rhythm of the recorded programs falls in with them.
// They become longer in the course of a long recording, which needs no more of them.
//
// The cost of starting comes at once, before anything was recorded. It is paid for with half of the
// budget, so that something is recorded meanwhile. If it is more than half of what ten seconds
// have, the rest is not among their cost: only on a machine of few CPUs.
#pragma once

#include <cstdint>
#include <random>

#include "recorder/recording/cost_window.h"

namespace gordian {

class Pace {
 public:
  // `share` of the time of `cpus` CPUs, more than 0.
  Pace(double share, int cpus, uint64_t start_ns, uint64_t start_cost_ns = 0);

  // From now on. More than 0.
  void SetShare(double share);

  // Takes the cost of recording since the last call; returns whether to record from now on.
  bool Records(uint64_t now_ns, uint64_t cost_ns);

  // How much more than their budget the ten seconds around the start cost.
  uint64_t start_beyond_ns() const { return start_beyond_ns_; }

 private:
  double WindowNs(uint64_t now_ns) const;
  double InTenSecondsNs() const;
  void Pay(uint64_t now_ns, uint64_t cost_ns);
  bool GoesOn(uint64_t now_ns);
  bool Begins(uint64_t now_ns);

  const int cpus_;
  const uint64_t start_ns_;
  double allowed_ns_per_ns_ = 0;
  std::minstd_rand random_;  // of the start's time: any will do
  uint64_t last_ns_;
  double debt_ns_ = 0;
  double loan_ns_;  // of the start's cost
  uint64_t start_beyond_ns_ = 0;
  CostWindow costs_;
  bool records_ = true;
  uint64_t since_ns_;            // of the window, or pause, at hand
  double window_cost_ns_ = 0;    // of the window at hand, or the last
  double cost_ns_per_ns_ = 0;    // in the last window
  uint64_t window_until_ns_;     // at least
  double next_window_ns_ = 0;    // in a pause
  uint64_t pause_until_ns_ = 0;  // at most
  double goes_on_at_debt_ns_ = 0;
};

}  // namespace gordian
