// SPDX-License-Identifier: Apache-2.0
// A block of events of one CPU: the drain fills it, the encoder writes it, the reader gives it
// back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace_event.h"
#include "trace/wait_object.h"

namespace gordian {

struct EventBlock {
  uint16_t cpu = 0;
  std::vector<TraceEvent> events;  // in time order once encoded; the encoder sorts small inversions
  std::vector<TaskRecord> tasks;   // kTask events refer to these by index
  std::vector<FlowRecord> flows;   // kFlow events likewise
  std::vector<StackRecord> stacks;             // kStack events likewise
  std::vector<WaitObjectRecord> wait_objects;  // kWaitObject events likewise
  std::vector<std::string> names;              // probe events likewise; [0] is the empty name
  uint64_t unknown_events = 0;  // read from a file, of kinds newer than this reader: left out

  void AddTask(uint64_t time_ns, TaskRecord task);
  void AddFlow(uint64_t time_ns, const FlowRecord& flow);
  void AddStack(uint64_t time_ns, StackRecord stack);
  void AddWaitObject(uint64_t time_ns, WaitObjectRecord object);
  // The index of `name`, added if it is new.
  uint32_t InternName(std::string_view name);

  bool empty() const { return events.empty(); }
  // Forgets the contents, keeps the memory and the CPU.
  void Clear();
};

}  // namespace gordian
