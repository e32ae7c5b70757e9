// When a recording with a budget pauses, and when it goes on.
//
// The cost of recording is a debt, which the budget pays off as time goes by. A recording that has
// lasted for a window and owes much pauses until that is paid. So it takes no more than its budget
// in the long run, at any cost of recording on this machine under this load, and never pauses if it
// is cheap enough.
//
// At least a twentieth of the time is recorded: a recorder that never sees the program is of no
// use, however little it costs.
//
// Windows are of random lengths, so that no rhythm of the recorded programs falls in with them.
// They become longer in the course of a long recording, which needs no more of them.
#pragma once

#include <cstdint>
#include <random>

namespace gordian {

class Pace {
 public:
  // `share` of the time of `cpus` CPUs, more than 0.
  Pace(double share, int cpus, uint64_t start_ns);

  // Takes the cost of recording since the last call; returns whether to record from now on.
  bool Records(uint64_t now_ns, uint64_t cost_ns);

 private:
  double WindowNs(uint64_t now_ns) const;

  const double allowed_ns_per_ns_;
  const uint64_t start_ns_;
  std::minstd_rand random_;  // of the start's time: any will do
  uint64_t last_ns_;
  double debt_ns_;
  bool records_ = true;
  uint64_t since_ns_;            // of the window, or pause, at hand
  uint64_t window_until_ns_;     // at least
  uint64_t pause_until_ns_ = 0;  // at most
  double goes_on_at_debt_ns_ = 0;
};

}  // namespace gordian
