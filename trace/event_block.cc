// SPDX-License-Identifier: Apache-2.0
#include "trace/event_block.h"

#include <algorithm>
#include <utility>

namespace gordian {

void EventBlock::AddTask(uint64_t time_ns, TaskRecord task) {
  TraceEvent event{.time_ns = time_ns, .kind = EventKind::kTask, .cpu = cpu};
  event.task = TableRef{static_cast<uint32_t>(tasks.size())};
  tasks.push_back(std::move(task));
  events.push_back(event);
}

void EventBlock::AddFlow(uint64_t time_ns, const FlowRecord& flow) {
  TraceEvent event{.time_ns = time_ns, .kind = EventKind::kFlow, .cpu = cpu};
  event.flow = TableRef{static_cast<uint32_t>(flows.size())};
  flows.push_back(flow);
  events.push_back(event);
}

void EventBlock::AddStack(uint64_t time_ns, StackRecord stack) {
  TraceEvent event{.time_ns = time_ns, .kind = EventKind::kStack, .cpu = cpu};
  event.stack = TableRef{static_cast<uint32_t>(stacks.size())};
  stacks.push_back(std::move(stack));
  events.push_back(event);
}

void EventBlock::AddWaitObject(uint64_t time_ns, WaitObjectRecord object) {
  TraceEvent event{.time_ns = time_ns, .kind = EventKind::kWaitObject, .cpu = cpu};
  event.wait_object = TableRef{static_cast<uint32_t>(wait_objects.size())};
  wait_objects.push_back(std::move(object));
  events.push_back(event);
}

uint32_t EventBlock::InternName(std::string_view name) {
  if (names.empty()) names.emplace_back();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  names.emplace_back(name);
  return static_cast<uint32_t>(names.size() - 1);
}

void EventBlock::Clear() {
  events.clear();
  tasks.clear();
  flows.clear();
  stacks.clear();
  wait_objects.clear();
  names.clear();
  unknown_events = 0;
}

}  // namespace gordian
