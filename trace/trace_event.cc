#include "trace/trace_event.h"

namespace gordian {

const char* EventKindName(EventKind kind) {
  switch (kind) {
    case EventKind::kSwitch:
      return "switch";
    case EventKind::kWake:
      return "wake";
    case EventKind::kIrqRun:
      return "irq_run";
    case EventKind::kBlockIssue:
      return "block_issue";
    case EventKind::kBlockComplete:
      return "block_complete";
    case EventKind::kNetSend:
      return "net_send";
    case EventKind::kNetReceive:
      return "net_receive";
    case EventKind::kTask:
      return "task";
    case EventKind::kProbe:
      return "probe";
    case EventKind::kLoss:
      return "loss";
    case EventKind::kFlow:
      return "flow";
    case EventKind::kStackSample:
      return "stack_sample";
    case EventKind::kStack:
      return "stack";
    case EventKind::kWaitObject:
      return "wait_object";
  }
  return "unknown";
}

std::string CounterOfCall(std::string_view call) { return "syscall " + std::string(call); }

const char* StackMomentName(StackMoment moment) {
  switch (moment) {
    case StackMoment::kWait:
      return "wait";
    case StackMoment::kWake:
      return "wake";
    case StackMoment::kCpu:
      return "cpu";
  }
  return "unknown";
}

}  // namespace gordian
