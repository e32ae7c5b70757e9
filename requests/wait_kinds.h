// SPDX-License-Identifier: Apache-2.0
// What the waits of a recording were for, as far as samples tell. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"
#include "causes/causes.h"

namespace gordian {

class WaitKinds {
 public:
  explicit WaitKinds(const Timeline& timeline);

  struct WaitKind {
    bool for_events = false;  // for events of any kind, as WaitSenses has it
    bool for_lock = false;    // a spin, a futex, a semaphore or a file's lock
    // No sample: like most others that threads of this name began, and threads of that name ended;
    // or of this thread.
    bool by_likeness = false;
    bool is_known = true;  // … which have none either
  };
  WaitKind Of(EntityId thread, const ThreadSegment& wait) const;

 private:
  struct SampledWait {
    EntityId thread = kNobody;
    uint64_t start_ns = 0;
    bool for_lock = false;
  };
  // What waits were sampled as, by weight.
  struct Likeness {
    double events = 0;
    double locks = 0;
    double others = 0;
  };
  // Threads of one name wait alike for those of another one.
  uint64_t PairOf(EntityId thread, const ThreadSegment& wait) const;

  WaitSenses senses_;
  std::vector<SampledWait> sampled_;      // by thread and time
  std::vector<uint32_t> name_of_entity_;  // numbers of names
  absl::flat_hash_map<uint64_t, Likeness> of_pair_;
};

}  // namespace gordian
