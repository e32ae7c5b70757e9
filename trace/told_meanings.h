// SPDX-License-Identifier: Apache-2.0
// What earlier parts of a session told that later parts refer to: who lives, and what the numbers
// of flows, stacks and waited-for things mean.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "trace/event_block.h"

namespace gordian {

class ToldMeanings {
 public:
  // Takes what the block tells outside of [from_ns, to_ns): of threads only before from_ns, of
  // numbers also behind, as a number may be told after its first use. In any order of blocks.
  void Take(const EventBlock& block, uint64_t from_ns, uint64_t to_ns);
  // All of it as events of that time: a thread that lives as kAlive.
  EventBlock At(uint64_t time_ns) const;

 private:
  struct Thread {
    uint64_t told_ns = 0;
    TaskRecord latest;
    uint64_t program_ns = 0;  // when its command was told
    TaskRecord program;
  };
  void TakeTask(uint64_t time_ns, const TaskRecord& task);

  absl::flat_hash_map<int32_t, Thread> threads_;
  absl::flat_hash_map<uint32_t, FlowRecord> flows_;
  absl::flat_hash_map<uint32_t, StackRecord> stacks_;
  absl::flat_hash_map<uint32_t, WaitObjectRecord> wait_objects_;
};

}  // namespace gordian
