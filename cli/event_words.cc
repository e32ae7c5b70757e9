// Words for the values of a trace's enumerations.
#include <arpa/inet.h>
#include <netinet/in.h>

#include "cli/event_text.h"
#include "fmt/format.h"

namespace gordian {

const char* TaskChangeName(TaskChange change) {
  switch (change) {
    case TaskChange::kAlive:
      return "alive";
    case TaskChange::kNew:
      return "new";
    case TaskChange::kExec:
      return "exec";
    case TaskChange::kRename:
      return "rename";
    case TaskChange::kExit:
      return "exit";
  }
  return "unknown";
}

const char* ProbeKindName(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kSpinBegin:
      return "spin_begin";
    case ProbeKind::kSpinEnd:
      return "spin_end";
    case ProbeKind::kSpinRelease:
      return "spin_release";
    case ProbeKind::kFalseWakeup:
      return "false_wakeup";
    case ProbeKind::kCondWaitBegin:
      return "cond_wait_begin";
    case ProbeKind::kCondWaitEnd:
      return "cond_wait_end";
    case ProbeKind::kPhaseBegin:
      return "phase_begin";
    case ProbeKind::kPhaseEnd:
      return "phase_end";
    case ProbeKind::kCount:
      return "count";
  }
  return "unknown";
}

const char* BlockOperationName(BlockOperation operation) {
  switch (operation) {
    case BlockOperation::kOther:
      return "other";
    case BlockOperation::kRead:
      return "read";
    case BlockOperation::kWrite:
      return "write";
    case BlockOperation::kFlush:
      return "flush";
    case BlockOperation::kDiscard:
      return "discard";
  }
  return "unknown";
}

const char* WakeContextName(WakeContext context) {
  switch (context) {
    case WakeContext::kThread:
      return "thread";
    case WakeContext::kSoftirq:
      return "softirq";
    case WakeContext::kHardirq:
      return "hardirq";
    case WakeContext::kTimer:
      return "timer";
    case WakeContext::kNmi:
      return "nmi";
  }
  return "unknown";
}

std::string SwitchStateName(const SwitchEvent& event) {
  if (event.prev_tid == 0) return "idle";
  if (event.preempted) return "preempted";
  const uint32_t state = event.prev_state;
  if (state == kStateRunning) return "runnable";
  if ((state & (kStateExitDead | kStateExitZombie | kStateDead)) != 0) return "dead";
  if ((state & kStateStopped) != 0) return "stopped";
  if ((state & kStateTraced) != 0) return "traced";
  if ((state & kStateParked) != 0) return "parked";
  if ((state & kStateUninterruptible) != 0) return "disk sleep";
  if ((state & kStateInterruptible) != 0) return "sleeping";
  return fmt::format("state {:#x}", state);
}

std::string FlowAddress(FlowFamily family, const std::array<uint8_t, 16>& address, uint16_t port) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (family == FlowFamily::kIpv4) {
    ::inet_ntop(AF_INET, address.data(), text, sizeof text);
    return fmt::format("{}:{}", text, port);
  }
  if (family == FlowFamily::kIpv6) ::inet_ntop(AF_INET6, address.data(), text, sizeof text);
  return fmt::format("[{}]:{}", text, port);
}

std::string ProtocolName(uint8_t protocol) {
  if (protocol == IPPROTO_TCP) return "tcp";
  if (protocol == IPPROTO_UDP) return "udp";
  return fmt::format("protocol {}", protocol);
}

}  // namespace gordian
