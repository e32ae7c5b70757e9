// SPDX-License-Identifier: Apache-2.0
// What recording cost in the last ten seconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gordian {

class CostWindow {
 public:
  static constexpr uint64_t kWindowNs = 10'000'000'000;

  // Times never decrease, from call to call of any kind.
  void Add(uint64_t now_ns, uint64_t cost_ns) {
    MoveTo(now_ns);
    sum_ns_ += cost_ns;
    steps_[newest_ % steps_.size()] += cost_ns;
  }
  uint64_t SumNs(uint64_t now_ns) {
    MoveTo(now_ns);
    return sum_ns_;
  }
  // The part of it that is still in the window `later_ns` on.
  uint64_t SumLaterNs(uint64_t now_ns, uint64_t later_ns) {
    MoveTo(now_ns);
    uint64_t sum_ns = 0;
    const uint64_t gone = later_ns / kStepNs;
    for (uint64_t back = 0; back + gone < steps_.size() && back <= newest_; ++back)
      sum_ns += steps_[(newest_ - back) % steps_.size()];
    return sum_ns;
  }

 private:
  static constexpr uint64_t kStepNs = 100'000'000;

  void MoveTo(uint64_t now_ns) {
    uint64_t step = now_ns / kStepNs;
    if (step <= newest_) return;
    if (step - newest_ > steps_.size()) newest_ = step - steps_.size();
    while (newest_ < step) {
      ++newest_;
      uint64_t& oldest = steps_[newest_ % steps_.size()];
      sum_ns_ -= oldest;
      oldest = 0;
    }
  }

  // One more than the window has: the newest and the oldest are there in part.
  std::array<uint64_t, kWindowNs / kStepNs + 1> steps_{};
  uint64_t newest_ = 0;
  uint64_t sum_ns_ = 0;
};

}  // namespace gordian
