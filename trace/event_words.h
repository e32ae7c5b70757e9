// SPDX-License-Identifier: Apache-2.0
// The words a reader meets for values of the trace's enumerations; "unknown" beyond them.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace_event.h"

namespace gordian {

const char* TaskChangeName(TaskChange change);
const char* ProbeKindName(ProbeKind kind);
const char* BlockOperationName(BlockOperation operation);
const char* WakeContextName(WakeContext context);
const char* DeviceKindName(DeviceKind kind);  // disk, nic; empty without a device
const char* StackMomentName(StackMoment moment);
// hi, timer, net_tx, net_rx, block, …; empty beyond the kernel's ten.
std::string_view SoftirqName(uint32_t vector);
// tcp, udp, protocol 47
std::string ProtocolName(uint16_t protocol);
const char* LocalChannelName(LocalChannel channel);
const char* LocalServerName(LocalServer server);
// 10.0.0.1:80, [::1]:80; of a local channel "end 12, inode 345"
std::string FlowSourceText(const FlowRecord& flow);
std::string FlowDestinationText(const FlowRecord& flow);
// The counter in which the recorder counts a system call that it was asked to: "syscall accept4".
std::string CounterOfCall(std::string_view call);
// preempted, sleeping, disk sleep, …: the state of the thread that left its CPU.
std::string SwitchStateName(const SwitchEvent& event);

}  // namespace gordian
