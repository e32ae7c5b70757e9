// SPDX-License-Identifier: Apache-2.0
// The CPU time that goes with a wait, told by threads that happened not to wait.
//
// Between two waits that stay, a thread runs through a stretch. It is of a kind: for what it waited
// before, and for what behind. In stretches of one kind some threads wait for what is to be gone
// (who comes first syncs for all), others do not. The medians of their CPU time differ by what such
// waits cost: the call, going to sleep, being woken, cold caches. No stack is needed, and there are
// more stretches than samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gordian {

// Memory: 8 bytes for each wait that stays.
class WaitExperiment {
 public:
  void BeginThread() { before_.reset(); }
  void AddRun(uint64_t run_ns) { run_ns_ += run_ns; }
  // One that is to be gone.
  void AddWait() { ++waits_; }
  // A wait that stays, for that vertex.
  void EndStretch(uint32_t waits_for);

  // Of each wait; nothing if no kind has enough stretches with and without waits.
  std::optional<double> RunNsOfAWait() const;

 private:
  using RunTimesByWaits = std::map<uint32_t, std::vector<float>>;
  std::map<std::pair<uint32_t, uint32_t>, RunTimesByWaits> stretches_;  // by what is around
  std::optional<uint32_t> before_;
  uint64_t run_ns_ = 0;
  uint32_t waits_ = 0;
};

}  // namespace gordian
