// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/identity_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

constexpr size_t kMaxFlows = 65536;  // as many as the kernel side keeps

}  // namespace

void IdentityTable::Learn(const TraceEvent& event, const EventBlock& block) {
  if (event.kind == EventKind::kTask) LearnTask(block.tasks[event.task.index]);
  if (event.kind == EventKind::kFlow) LearnFlow(block.flows[event.flow.index]);
}

void IdentityTable::LearnTask(const TaskRecord& task) {
  const auto known = tasks_.find(task.tid);
  if (known == tasks_.end()) {
    if (task.change != TaskChange::kExit) Inherit(tasks_.emplace(task.tid, task).first->second);
    return;
  }
  // CPUs are drained one after the other: the end of an old life may be heard after the birth of
  // its tid's next one.
  const bool older_life = task.start_time_ns < known->second.start_time_ns;
  if (older_life) return;
  if (task.change == TaskChange::kExit) {
    tasks_.erase(known);
    return;
  }
  // Only the start of a program tells these.
  const bool same_program = task.start_time_ns == known->second.start_time_ns &&
                            task.change != TaskChange::kExec && task.command.empty() &&
                            task.directory.empty();
  TaskRecord before = std::exchange(known->second, task);
  if (same_program) {
    known->second.command = std::move(before.command);
    known->second.directory = std::move(before.directory);
  } else {
    Inherit(known->second);
  }
}

// A process runs its parent's program, in its parent's directory, until it execs.
void IdentityTable::Inherit(TaskRecord& task) const {
  if (task.change != TaskChange::kNew || task.tid != task.tgid) return;
  const auto creator = tasks_.find(task.parent_tid);
  if (creator == tasks_.end()) return;
  const auto parent = tasks_.find(creator->second.tgid);
  if (parent == tasks_.end()) return;
  task.command = parent->second.command;
  task.directory = parent->second.directory;
}

void IdentityTable::LearnFlow(const FlowRecord& flow) {
  if (flows_.size() >= kMaxFlows && flows_.count(flow.flow_id) == 0) {
    flows_.erase(flows_.begin());
    ++flows_forgotten_;
  }
  FlowRecord& known = flows_[flow.flow_id];
  const uint32_t origin = flow.origin_flow_id != 0 ? flow.origin_flow_id : known.origin_flow_id;
  known = flow;
  known.origin_flow_id = origin;  // another CPU may have told it without, a little later
}

void IdentityTable::Describe(uint64_t now_ns, const std::unordered_map<int32_t, State>& states,
                             EventBlock& block) const {
  for (const auto& [id, flow] : flows_) block.AddFlow(now_ns, flow);
  std::vector<std::pair<const State*, TaskRecord>> told;
  for (const auto& [tid, task] : tasks_) {
    TaskRecord alive = task;
    alive.change = TaskChange::kAlive;
    alive.state = 0;         // what was told is long past
    alive.switches.reset();  // those told behind a pause have it
    const auto state = states.find(tid);
    if (state == states.end() || state->second.start_time_ns != task.start_time_ns ||
        state->second.state == 0 || state->second.time_ns < now_ns) {
      block.AddTask(now_ns, std::move(alive));
      continue;
    }
    alive.state = state->second.state;
    told.emplace_back(&state->second, std::move(alive));
  }
  std::sort(told.begin(), told.end(),
            [](const auto& a, const auto& b) { return a.first->time_ns < b.first->time_ns; });
  for (auto& [state, alive] : told) block.AddTask(state->time_ns, std::move(alive));
}

}  // namespace gordian
