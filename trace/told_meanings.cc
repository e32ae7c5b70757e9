// SPDX-License-Identifier: Apache-2.0
#include "trace/told_meanings.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gordian {
namespace {

// So that the same session gives the same bytes.
template <typename Map>
std::vector<typename Map::key_type> SortedKeys(const Map& map) {
  std::vector<typename Map::key_type> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

// Equal times happen: the later call counts, and streams are given tasks first, as readers do.
void ToldMeanings::TakeTask(uint64_t time_ns, const TaskRecord& task) {
  Thread& thread = threads_[task.tid];
  if ((task.change == TaskChange::kAlive || task.change == TaskChange::kExec) &&
      time_ns >= thread.program_ns) {
    thread.program_ns = time_ns;
    thread.program = task;
  }
  if (time_ns < thread.told_ns) return;
  const uint64_t start_ns = thread.latest.start_time_ns;
  const bool is_same_life = task.change != TaskChange::kNew && thread.told_ns != 0;
  thread.told_ns = time_ns;
  thread.latest = task;
  if (is_same_life && task.start_time_ns == 0) thread.latest.start_time_ns = start_ns;
}

void ToldMeanings::Take(const EventBlock& block, uint64_t from_ns, uint64_t to_ns) {
  for (const TraceEvent& event : block.events) {
    if (event.time_ns >= from_ns && event.time_ns < to_ns) continue;
    switch (event.kind) {
      case EventKind::kTask:
        if (event.time_ns < from_ns) TakeTask(event.time_ns, block.tasks[event.task.index]);
        break;
      case EventKind::kFlow: {
        const FlowRecord& flow = block.flows[event.flow.index];
        const auto [known, is_new] = flows_.try_emplace(flow.flow_id, flow);
        if (!is_new && flow.origin_flow_id != 0) known->second = flow;
        break;
      }
      case EventKind::kStack: {
        const StackRecord& stack = block.stacks[event.stack.index];
        stacks_.try_emplace(stack.stack_id, stack);
        break;
      }
      case EventKind::kWaitObject: {
        const WaitObjectRecord& object = block.wait_objects[event.wait_object.index];
        wait_objects_.try_emplace(object.object_id, object);
        break;
      }
      default:
        break;
    }
  }
}

EventBlock ToldMeanings::At(uint64_t time_ns) const {
  EventBlock block;
  block.cpu = kNoCpu;
  for (const int32_t tid : SortedKeys(threads_)) {
    const Thread& thread = threads_.at(tid);
    if (thread.latest.change == TaskChange::kExit) continue;
    TaskRecord alive = thread.latest;
    // One alive tells its parent's process, one new the thread that made it.
    if (alive.change == TaskChange::kNew) {
      const auto parent = threads_.find(alive.parent_tid);
      if (parent != threads_.end() && parent->second.latest.tgid != 0)
        alive.parent_tid = parent->second.latest.tgid;
    }
    const bool is_its_program = thread.program_ns != 0 && thread.program.tgid == alive.tgid &&
                                (thread.program.start_time_ns == alive.start_time_ns);
    if (alive.command.empty() && is_its_program) {
      alive.command = thread.program.command;
      alive.directory = thread.program.directory;
    }
    alive.change = TaskChange::kAlive;
    alive.state = 0;
    alive.switches = std::nullopt;
    block.AddTask(time_ns, std::move(alive));
  }
  for (const uint32_t id : SortedKeys(flows_)) block.AddFlow(time_ns, flows_.at(id));
  for (const uint32_t id : SortedKeys(stacks_)) block.AddStack(time_ns, stacks_.at(id));
  for (const uint32_t id : SortedKeys(wait_objects_))
    block.AddWaitObject(time_ns, wait_objects_.at(id));
  return block;
}

}  // namespace gordian
