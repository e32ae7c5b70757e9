// SPDX-License-Identifier: Apache-2.0
// The threads of a replay, and how far each has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whatif/play/cpu_queue.h"
#include "whatif/play/play.h"

namespace gordian {

enum class At : uint8_t { kSteps, kReady, kRunning, kPausing, kBlocked, kDone };

struct Player {
  size_t next = 0;  // step
  size_t end = 0;
  uint64_t left_ns = 0;  // of the run at hand; 0: it has not begun
  uint64_t since_ns = 0;
  uint32_t cpu = kNoCpuIndex;
  uint32_t asked = kNoHandOver;  // its piece begins when a thread waits for that
  At at = At::kSteps;
  bool waited = false;  // and has not run since
};

inline void AddWait(const Step& step, uint64_t length_ns, ThreadUse& use) {
  switch (step.kind) {
    case StepKind::kPause:
      (step.by_timer ? use.sleep_ns : use.outside_ns) += length_ns;
      return;
    case StepKind::kAwaitDisk:
    case StepKind::kRequest:
      use.disk_ns += length_ns;
      return;
    default:
      use.await_ns += length_ns;
  }
}

// Of all blocked threads that count the one whose step was recorded first; kNobody if there is
// none.
template <typename Counts>
EntityId FirstBlocked(const Score& score, const std::vector<Player>& players, Counts counts) {
  EntityId first = kNobody;
  for (EntityId thread = 0; thread < players.size(); ++thread) {
    if (players[thread].at != At::kBlocked || !counts(thread)) continue;
    if (first == kNobody || score.steps[players[thread].next].recorded_ns <
                                score.steps[players[first].next].recorded_ns)
      first = thread;
  }
  return first;
}

}  // namespace gordian
