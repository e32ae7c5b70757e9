// SPDX-License-Identifier: Apache-2.0
// What the waits of a recording were for, as far as samples tell. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "causes/causes.h"

namespace gordian {

class WaitKinds {
 public:
  explicit WaitKinds(const Timeline& timeline);

  struct WaitKind {
    bool for_events = false;   // for events of any kind, as WaitSenses has it
    bool for_lock = false;     // a spin, a futex, a semaphore or a file's lock
    bool by_likeness = false;  // no sample: like most others of its thread
    bool is_known = true;      // … that has none either
  };
  WaitKind Of(EntityId thread, const ThreadSegment& wait) const;

 private:
  struct SampledWait {
    EntityId thread = kNobody;
    uint64_t start_ns = 0;
    bool for_lock = false;
  };
  WaitSenses senses_;
  std::vector<SampledWait> sampled_;   // by thread and time
  std::vector<uint8_t> mostly_locks_;  // by thread: of its sampled waits that are not for events
};

}  // namespace gordian
