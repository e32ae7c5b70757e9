// SPDX-License-Identifier: Apache-2.0
// The time of a phase's threads while it lasted: how long they ran, were ready to run, and waited,
// and for which threads. It joins a phase, which tells when, with the scheduler's records, which
// tell why.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/job/job.h"

namespace gordian {

struct PhaseWait {
  EntityId waker = kNobody;  // kNobody: no thread had woken it by the phase's end (or the
                             // recording's)
  uint64_t wait_ns = 0;
  uint64_t count = 0;
};

// Sums over the phase's threads, clipped to the phase: run_ns + runnable_ns + wait_ns + spin_ns +
// unknown_ns is the sum of the time that each of them lived within it.
struct PhaseTime {
  uint64_t threads = 0;
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  uint64_t wait_ns = 0;
  uint64_t spin_ns = 0;
  uint64_t unknown_ns = 0;
  std::vector<PhaseWait> waits;  // spins included, longest first

  uint64_t all_ns() const { return run_ns + runnable_ns + wait_ns + spin_ns + unknown_ns; }
};

// The phase's thread, or without one all threads of its process. Nothing if the recording knows
// neither. Of a recording that paused, only the recorded time. A tid that was used again within the
// phase counts with all its lives.
PhaseTime TimeOf(const Phase& phase, const Timeline& timeline);

}  // namespace gordian
