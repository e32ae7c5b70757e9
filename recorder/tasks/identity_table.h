// SPDX-License-Identifier: Apache-2.0
// The living threads and the flows in use, as the drain last heard. A new segment of tasks.trace
// begins with them, so that a flight recording can name threads that were born before its oldest
// event.
//
// Bounded by the number of live threads, and by the size of the kernel's flow table.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "trace/event_block.h"

namespace gordian {

class IdentityTable {
 public:
  // Learns from an event of `block`; ignores other kinds.
  void Learn(const TraceEvent& event, const EventBlock& block);
  // What a thread did when the kernel was asked.
  struct State {
    uint64_t time_ns = 0;
    uint64_t start_time_ns = 0;  // of which life of the tid
    uint32_t state = 0;          // 0: it runs, or wants to
  };
  // A record per flow and a kAlive record per live thread, in order of time: of time `now_ns`, but
  // that of its state if that is known (by tid) and not 0.
  void Describe(uint64_t now_ns, const std::unordered_map<int32_t, State>& states,
                EventBlock& block) const;

  size_t threads() const { return tasks_.size(); }
  // Times a flow was forgotten because there were too many.
  uint64_t flows_forgotten() const { return flows_forgotten_; }

 private:
  void LearnTask(const TaskRecord& task);
  void Inherit(TaskRecord& task) const;
  void LearnFlow(const FlowRecord& flow);

  std::unordered_map<int32_t, TaskRecord> tasks_;  // by tid
  std::unordered_map<uint32_t, FlowRecord> flows_;
  uint64_t flows_forgotten_ = 0;
};

}  // namespace gordian
