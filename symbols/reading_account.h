// SPDX-License-Identifier: Apache-2.0
// The CPU time that helpers take for one purpose: threads, and the processes that read files
// (jail.h); and, if they have a pace, how much more they may take now. Several threads may use it
// at once.
#pragma once

#include <atomic>
#include <cstdint>

#include "symbols/reading_pace.h"

namespace gordian {

class ReadingAccount {
 public:
  ReadingAccount() = default;  // without a bound
  // `pace` must live longer. It has more urgent users if this one can wait.
  explicit ReadingAccount(ReadingPace& pace, bool can_wait = false)
      : pace_(&pace), can_wait_(can_wait) {}

  void Spend(int64_t cpu_ns);
  int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }

  // What may be used at once; INT64_MAX without a bound.
  int64_t LeftNs() const;
  // How long to wait before the next start; 0: not at all.
  int64_t PauseNs() const;
  // From now on there is no bound: what is being read is waited for.
  void Hurry() {
    pace_.store(nullptr, std::memory_order_relaxed);
    is_in_a_hurry_.store(true, std::memory_order_relaxed);
  }
  bool is_in_a_hurry() const { return is_in_a_hurry_.load(std::memory_order_relaxed); }

 private:
  std::atomic<ReadingPace*> pace_ = nullptr;
  std::atomic<bool> is_in_a_hurry_ = false;
  const bool can_wait_ = false;
  std::atomic<int64_t> spent_ns_ = 0;
};

}  // namespace gordian
