// A bound on the CPU time of a side task: so much at first, then a share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gordian {

class TimeAllowance {
 public:
  // One nanosecond more every `refill_every_ns`, but never more than `first_ns` at once.
  TimeAllowance(int64_t first_ns, int64_t refill_every_ns, int64_t now_ns)
      : most_ns_(first_ns),
        refill_every_ns_(refill_every_ns),
        left_ns_(first_ns),
        filled_ns_(now_ns) {}

  void Spend(int64_t spent_ns) { left_ns_ -= spent_ns; }

  // How long to wait until something is left; 0: not at all.
  int64_t PauseNs(int64_t now_ns) {
    const int64_t more_ns = std::max<int64_t>(0, (now_ns - filled_ns_) / refill_every_ns_);
    filled_ns_ += more_ns * refill_every_ns_;
    left_ns_ = std::min(most_ns_, left_ns_ + more_ns);
    return left_ns_ > 0 ? 0 : (1 - left_ns_) * refill_every_ns_ - (now_ns - filled_ns_);
  }

 private:
  const int64_t most_ns_;
  const int64_t refill_every_ns_;
  int64_t left_ns_;
  int64_t filled_ns_;
};

}  // namespace gordian
