// SPDX-License-Identifier: Apache-2.0
// A score taken apart, so that steps and hand-overs can be changed, and put together again.
#pragma once

#include <cstdint>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

struct EditableScore {
  struct HandOver {
    EntityId waker = kNobody;
    EntityId waiter = kNobody;
    uint32_t channel = 0;
    bool birth = false;
    bool carried = false;
    EntityId link = kNobody;
    uint64_t flight_ns = 0;
  };
  Score rest;                            // without steps, pairs and fields by hand-over
  std::vector<std::vector<Step>> steps;  // by thread
  std::vector<HandOver> hand_overs;
  std::vector<uint32_t> relayed_disk;

  // A thread without steps yet, which is no recorded one, beside another on its node.
  EntityId AddThread(EntityId beside, CpuClass cpu_class);
  uint32_t AddHandOver(const HandOver& hand_over);
};

EditableScore TakeApart(const Score& score);
Score PutTogether(EditableScore edited);

}  // namespace gordian
