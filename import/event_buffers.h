// SPDX-License-Identifier: Apache-2.0
// Events on their way to a session: one block per CPU, handed on when it is worth it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "trace/event_block.h"

namespace gordian {

// Takes a block that is full and leaves it cleared. The call tells its stream.
struct BlockSink {
  std::function<absl::Status(EventBlock&)> events;
  std::function<absl::Status(EventBlock&)> tasks;
};

class EventBuffers {
 public:
  // A block goes out at this many events: large enough to compress well.
  static constexpr size_t kBlockEvents = 16u << 10;
  // All blocks go out when they hold this many together, which bounds the memory on machines with
  // many CPUs.
  static constexpr size_t kTotalEvents = 512u << 10;

  explicit EventBuffers(BlockSink sink) : sink_(std::move(sink)) {}

  absl::Status Add(const TraceEvent& event);
  absl::Status AddTask(uint16_t cpu, uint64_t time_ns, TaskRecord task);
  absl::Status AddStack(uint16_t cpu, uint64_t time_ns, StackRecord stack);
  // `event` is a probe whose name is not yet an index.
  absl::Status AddNamedProbe(TraceEvent event, std::string_view name);
  // A thread that is known from elsewhere than a CPU's events.
  absl::Status AddKnownThread(uint64_t time_ns, TaskRecord task);
  absl::Status Flush();

  uint64_t events() const { return events_; }

 private:
  struct Stream {
    EventBlock block;
    // Index of each name in the block: its own search is linear, and traces may have thousands of
    // locks.
    absl::flat_hash_map<std::string, uint32_t> names;
  };

  Stream& StreamOf(uint16_t cpu);
  absl::Status Added(Stream& stream);
  absl::Status Hand(Stream& stream);

  BlockSink sink_;
  std::map<uint16_t, Stream> streams_;
  Stream* last_ = nullptr;  // neighbours in a trace often share a CPU
  EventBlock known_threads_;
  size_t held_ = 0;
  uint64_t events_ = 0;
};

}  // namespace gordian
