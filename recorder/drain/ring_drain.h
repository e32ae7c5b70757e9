// Empties the kernel's rings into blocks of events, one block per CPU under construction.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/event_block.h"
#include "recorder/drain/stack_ids.h"

struct ring_buffer;

namespace gordian {

// Takes a block that is full or due and leaves it empty. After an error the drain stops and passes
// it on.
using BlockSink = std::function<absl::Status(EventBlock&)>;

class RingDrain {
 public:
  // A block is handed on when it holds this many events.
  static constexpr size_t kBlockEvents = 16384;

  // `ring_fds[cpu]` is that CPU's ring, -1 for none; `ring_bytes` is the size of each.
  static absl::StatusOr<std::unique_ptr<RingDrain>> Create(std::span<const int> ring_fds,
                                                           uint64_t ring_bytes, BlockSink sink);
  ~RingDrain();
  RingDrain(const RingDrain&) = delete;
  RingDrain& operator=(const RingDrain&) = delete;

  // Takes what stands in the rings, at most about two fillings of each: a CPU that writes faster
  // than we read cannot hold us here. Returns the records taken.
  absl::StatusOr<uint64_t> Drain();
  // Hands on every block that holds anything.
  absl::Status Flush();
  // The block of a CPU, for events that do not come through its ring (losses).
  EventBlock& block(int cpu) { return cpus_[cpu].block; }

  uint64_t records() const { return records_; }
  // Records of a size or kind that nobody writes. Never seen; counted so that nothing vanishes
  // silently.
  uint64_t malformed() const { return malformed_; }
  // Stacks that came after there were too many to number.
  uint64_t stacks_without_number() const { return stack_ids_.without_number(); }

 private:
  struct Cpu {
    RingDrain* drain = nullptr;
    ring_buffer* ring = nullptr;
    EventBlock block;
  };

  RingDrain(uint64_t ring_bytes, BlockSink sink)
      : ring_bytes_(ring_bytes), sink_(std::move(sink)) {}
  static int OnRecord(void* cpu, void* record, size_t size);
  absl::Status DrainCpu(Cpu& cpu);

  const uint64_t ring_bytes_;
  BlockSink sink_;
  std::vector<Cpu> cpus_;
  StackIds stack_ids_;
  uint64_t records_ = 0;
  uint64_t malformed_ = 0;
};

}  // namespace gordian
