// SPDX-License-Identifier: Apache-2.0
#include "trace/event_words.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

uint16_t SocketFamily(FlowFamily family) {
  if (family == FlowFamily::kUnknown) return AF_UNSPEC;
  return family == FlowFamily::kIpv4 ? AF_INET : AF_INET6;
}

std::string LocalEndText(const std::array<uint8_t, 16>& address) {
  const LocalEnd end = LocalEndOf(address);
  return end.inode == 0 ? absl::StrCat("end ", end.number)
                        : absl::StrCat("end ", end.number, ", inode ", end.inode);
}

}  // namespace

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

const char* DeviceKindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kNone:
      return "";
    case DeviceKind::kDisk:
      return "disk";
    case DeviceKind::kNic:
      return "nic";
  }
  return "unknown";
}

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

std::string_view SoftirqName(uint32_t vector) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"};
  return vector < kNames.size() ? kNames[vector] : std::string_view();
}

std::string ProtocolName(uint16_t protocol) {
  if (protocol == IPPROTO_TCP) return "tcp";
  if (protocol == IPPROTO_UDP) return "udp";
  return absl::StrCat("protocol ", protocol);
}

const char* LocalChannelName(LocalChannel channel) {
  switch (channel) {
    case LocalChannel::kNone:
      return "none";
    case LocalChannel::kUnixSocket:
      return "unix socket";
    case LocalChannel::kPipe:
      return "pipe";
  }
  return "unknown";
}

const char* LocalServerName(LocalServer server) {
  switch (server) {
    case LocalServer::kNotKnown:
      return "not known";
    case LocalServer::kSource:
      return "source";
    case LocalServer::kDestination:
      return "destination";
  }
  return "unknown";
}

std::string FlowSourceText(const FlowRecord& flow) {
  if (flow.local != LocalChannel::kNone) return LocalEndText(flow.source);
  return SocketAddressText(SocketFamily(flow.family), flow.source, flow.source_port);
}

std::string FlowDestinationText(const FlowRecord& flow) {
  if (flow.local != LocalChannel::kNone) return LocalEndText(flow.destination);
  return SocketAddressText(SocketFamily(flow.family), flow.destination, flow.destination_port);
}

std::string CounterOfCall(std::string_view call) { return "syscall " + std::string(call); }

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
  return absl::StrCat("state 0x", absl::Hex(state));
}

}  // namespace gordian
