// SPDX-License-Identifier: Apache-2.0
// When a recording with a budget pauses, and when it goes on.
//
// A recording that has lasted for a window and owes much (cost_ledger.h) pauses until that is paid.
// A window ends in time for ten seconds to keep within their budget, and begins only when it can
// last. A recording that is cheap enough never pauses.
//
// Windows are of random lengths, so that no rhythm of the recorded programs falls in with them.
// They become longer in the course of a long recording, which needs no more of them.
#pragma once

#include <cstdint>
#include <random>

#include "recorder/recording/cost_ledger.h"

namespace gordian {

class Pace {
 public:
  Pace(const CostLedger& ledger, uint64_t start_ns);

  // From now on. More than 0.
  void SetShare(double share) { ledger_.SetShare(share); }

  // Takes the cost of recording since the last call; returns whether to record from now on.
  bool Records(uint64_t now_ns, uint64_t cost_ns);

 private:
  double WindowNs(uint64_t now_ns) const;
  bool GoesOn(uint64_t now_ns);
  bool Begins(uint64_t now_ns);

  CostLedger ledger_;
  const uint64_t start_ns_;
  std::minstd_rand random_;  // of the start's time: any will do
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
