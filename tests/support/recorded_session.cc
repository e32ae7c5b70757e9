// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_session.h"

#include <memory>
#include <set>
#include <utility>

namespace gordian::testing {

uint64_t RecordedSession::CountFromCpus(EventKind kind) const {
  uint64_t count = 0;
  for (const TraceEvent& event : events) count += event.kind == kind && event.cpu != kNoCpu;
  return count;
}

uint64_t RecordedSession::CountLost(EventKind kind) const {
  uint64_t count = 0;
  for (const TraceEvent& event : events) {
    if (event.kind == EventKind::kLoss && event.loss.kind == kind) count += event.loss.count;
  }
  return count;
}

absl::StatusOr<RecordedSession> LoadSession(const std::string& directory) {
  absl::StatusOr<std::unique_ptr<SessionReader>> reader = SessionReader::Open(directory);
  if (!reader.ok()) return reader.status();
  RecordedSession recorded;
  recorded.session = (*reader)->session();
  MergedEvents merged(**reader);
  while (merged.Next()) {
    TraceEvent event = merged.event();
    if (event.kind == EventKind::kTask) {
      recorded.tasks.push_back(merged.block().tasks[event.task.index]);
      event.task.index = static_cast<uint32_t>(recorded.tasks.size() - 1);
    }
    if (event.kind == EventKind::kFlow) {
      const FlowRecord& flow = merged.block().flows[event.flow.index];
      recorded.flows[flow.flow_id] = flow;
    }
    if (event.kind == EventKind::kStack) {
      const StackRecord& stack = merged.block().stacks[event.stack.index];
      recorded.stacks[stack.stack_id] = stack;
    }
    if (event.kind == EventKind::kWaitObject) {
      const WaitObjectRecord& object = merged.block().wait_objects[event.wait_object.index];
      recorded.wait_objects[object.object_id] = object;
    }
    recorded.events.push_back(event);
  }
  recorded.damage = (*reader)->damage();
  return recorded;
}

std::set<int32_t> HiddenThreads(const RecordedSession& recorded) {
  std::set<int32_t> born;
  for (const TaskRecord& task : recorded.tasks) {
    if (task.change == TaskChange::kNew) born.insert(task.tid);
  }
  std::set<int32_t> vanished;
  std::set<int32_t> left;
  std::map<uint16_t, int32_t> running;
  for (const TraceEvent& event : recorded.events) {
    if (event.kind != EventKind::kSwitch) continue;
    const SwitchEvent& change = event.sched_switch;
    const auto before = running.find(event.cpu);
    if (before != running.end() && before->second != change.prev_tid) {
      vanished.insert(before->second);
    }
    left.insert(change.prev_tid);
    running[event.cpu] = change.next_tid;
  }
  std::erase_if(vanished, [&](int32_t tid) { return left.contains(tid) || born.contains(tid); });
  return vanished;
}

bool HiddenThreadRan(const RecordedSession& recorded, uint64_t begin_ns, uint64_t end_ns) {
  const std::set<int32_t> hidden = HiddenThreads(recorded);
  std::map<uint16_t, uint64_t> since_ns;  // CPUs that run a hidden thread
  for (const TraceEvent& event : recorded.events) {
    if (event.kind != EventKind::kSwitch) continue;
    const auto since = since_ns.find(event.cpu);
    if (since != since_ns.end() && since->second <= end_ns && event.time_ns >= begin_ns) {
      return true;
    }
    since_ns.erase(event.cpu);
    if (hidden.contains(event.sched_switch.next_tid)) since_ns[event.cpu] = event.time_ns;
  }
  for (const auto& [cpu, start_ns] : since_ns) {
    if (start_ns <= end_ns) return true;
  }
  return false;
}

ThreadChecker FollowThreads(const RecordedSession& recorded, uint64_t until_ns) {
  ThreadChecker checker(HiddenThreads(recorded));
  for (const TraceEvent& event : recorded.events) {
    if (event.time_ns > until_ns) break;
    if (event.kind == EventKind::kTask) {
      checker.AddTask(event.time_ns, recorded.tasks[event.task.index]);
    } else if (event.time_ns >= recorded.session.start_time_ns()) {
      checker.Add(event);
    }
  }
  checker.Finish();
  return checker;
}

}  // namespace gordian::testing
