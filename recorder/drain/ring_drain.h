// SPDX-License-Identifier: Apache-2.0
// Empties the kernel's rings into blocks of events, one block per CPU under construction.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/attach/kernel_ring.h"
#include "recorder/drain/loss_watch.h"
#include "recorder/drain/records.h"
#include "trace/event_block.h"

namespace gordian {

// Takes a block that is full or due and leaves it empty. After an error the drain stops and passes
// it on.
using BlockSink = std::function<absl::Status(EventBlock&)>;

class RingDrain {
 public:
  // A block is handed on when it holds this many events.
  static constexpr size_t kBlockEvents = 16384;

  // `rings[cpu]` is that CPU's ring, or an empty one. `own_network`: the inode of the recorder's
  // network namespace.
  RingDrain(std::vector<KernelRing> rings, BlockSink sink,
            std::vector<std::string> counted_calls = {}, uint32_t own_network = 0);

  // Takes the records in the rings, at most about two fillings of each: a CPU that writes faster
  // than we read cannot hold us here. Returns the number of records.
  absl::StatusOr<uint64_t> Drain();
  // Whether the last Drain came to the end of every ring: the last record, or one that is not
  // whole.
  bool reached_ends() const { return reached_ends_; }
  // Hands on every block that holds anything.
  absl::Status Flush();
  // The block of a CPU, for events that do not come through its ring (losses).
  EventBlock& block(int cpu) { return cpus_[cpu].block; }

  uint64_t records() const { return records_; }
  // Those of one CPU's ring, by kind.
  const RecordCounts& records(int cpu) const { return cpus_[cpu].records; }
  // Records of a size or kind that no program writes. Never seen; counted so that nothing vanishes
  // silently.
  uint64_t malformed() const { return malformed_; }
  // Network interfaces of other namespaces, in order of appearance.
  const std::vector<ForeignInterface>& foreign_interfaces() const {
    return names_.interfaces.foreign();
  }
  uint64_t interfaces_without_number() const { return names_.interfaces.without_number(); }
  // Stacks that came after there were too many to number.
  uint64_t stacks_without_number() const { return names_.stack_ids.without_number(); }

 private:
  struct Cpu {
    KernelRing ring;
    EventBlock block;
    RecordCounts records{};
  };

  absl::Status DrainCpu(Cpu& cpu);
  void TakeRecords(Cpu& cpu, uint64_t most);

  BlockSink sink_;
  std::vector<Cpu> cpus_;
  RecordNames names_;
  uint64_t records_ = 0;
  uint64_t malformed_ = 0;
  bool reached_ends_ = false;
};

}  // namespace gordian
