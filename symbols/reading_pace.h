// SPDX-License-Identifier: Apache-2.0
// A bound on the CPU time of reading other programs' files while a recording runs: so much in any
// second, whatever came before. Several threads may use it at once.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

namespace gordian {

class ReadingPace {
 public:
  static constexpr int64_t kWindowNs = 1'000'000'000;

  // At most `most_ns` of CPU time in any window of a second.
  explicit ReadingPace(int64_t most_ns) : most_ns_(most_ns) {}

  // One hundredth of the CPUs, for all recordings of this process together. The one shared object:
  // what it bounds, the load that this process puts on the machine, is one as well.
  static ReadingPace& OfThisProcess();

  void Spend(int64_t cpu_ns, int64_t now_ns);
  // What may be used at once; 0 or less: nothing. Half of all is not for those who can wait.
  int64_t LeftNs(int64_t now_ns, bool can_wait = false);
  // How long to wait until there is something worth a start (a quarter of all); 0: not at all.
  int64_t PauseNs(int64_t now_ns, bool can_wait = false);

 private:
  struct Spent {
    int64_t time_ns;
    int64_t cpu_ns;
  };

  void Forget(int64_t now_ns);

  const int64_t most_ns_;
  std::mutex mutex_;
  std::deque<Spent> spent_;  // of the last second, oldest first
  int64_t sum_ns_ = 0;       // of these
};

}  // namespace gordian
