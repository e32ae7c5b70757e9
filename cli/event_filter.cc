#include "cli/event_filter.h"

#include <algorithm>
#include <initializer_list>

namespace gordian {
namespace {

template <typename Value>
bool Contains(const std::vector<Value>& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool HasPart(const TraceEvent& event, const EventBlock& block, const std::vector<int32_t>& tids) {
  const auto any_of = [&](std::initializer_list<int32_t> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](int32_t tid) { return Contains(tids, tid); });
  };
  switch (event.kind) {
    case EventKind::kSwitch:
      return any_of({event.sched_switch.prev_tid, event.sched_switch.next_tid});
    case EventKind::kWake:
      return any_of({event.wake.wakee_tid, event.wake.waker_tid});
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete:
      return any_of({event.block.tid});
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      return any_of({event.net.tid});
    case EventKind::kTask: {
      const TaskRecord& task = block.tasks[event.task.index];
      return any_of({task.tid, task.change == TaskChange::kNew ? task.parent_tid : task.tid});
    }
    case EventKind::kProbe:
      return any_of({event.probe.tid});
    case EventKind::kStackSample:
      return any_of({event.stack_sample.tid});
    case EventKind::kIrqRun:
    case EventKind::kLoss:
    case EventKind::kFlow:
    case EventKind::kStack:
    case EventKind::kWaitObject:
      return false;
  }
  return false;
}

}  // namespace

bool EventFilter::IsPast(uint64_t time_ns, uint64_t start_time_ns) const {
  return time_ns >= start_time_ns && time_ns - start_time_ns >= to_ns;
}

// What is earlier than the start counts as at the start.
bool EventFilter::Shows(const TraceEvent& event, const EventBlock& block,
                        uint64_t start_time_ns) const {
  const uint64_t since_start_ns =
      event.time_ns > start_time_ns ? event.time_ns - start_time_ns : uint64_t{0};
  if (since_start_ns < from_ns || since_start_ns >= to_ns) return false;
  if (!any_cpu && event.cpu != cpu) return false;
  if (!kinds.empty() && !Contains(kinds, event.kind)) return false;
  return tids.empty() || HasPart(event, block, tids);
}

const std::vector<EventKind>& AllEventKinds() {
  static const auto& kinds = *new std::vector<EventKind>{
      EventKind::kSwitch,     EventKind::kWake,          EventKind::kIrqRun,
      EventKind::kBlockIssue, EventKind::kBlockComplete, EventKind::kNetSend,
      EventKind::kNetReceive, EventKind::kTask,          EventKind::kProbe,
      EventKind::kLoss,       EventKind::kFlow,          EventKind::kStackSample,
      EventKind::kStack,      EventKind::kWaitObject};
  return kinds;
}

}  // namespace gordian
