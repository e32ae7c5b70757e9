// SPDX-License-Identifier: Apache-2.0
#include "trace/event_schema.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "trace/event_words.h"

namespace gordian {
namespace {

template <typename Record>
const Record& As(const void* record) {
  return *static_cast<const Record*>(record);
}

template <typename Enum, const char* (*kName)(Enum)>
std::string Word(uint64_t value) {
  return kName(static_cast<Enum>(value));
}

template <auto kTable>
constexpr RecordTable Table() {
  return {.size = [](const EventBlock& block) { return (block.*kTable).size(); },
          .resize = [](EventBlock& block, size_t size) { (block.*kTable).resize(size); },
          .at = [](EventBlock& block, size_t index) -> void* { return &(block.*kTable)[index]; }};
}

bool Always(const void*) { return true; }

constexpr EventField kSwitchFields[] = {
    {.name = "prev_tid",
     .member = Member<&SwitchEvent::prev_tid>(),
     .coding = Coding::kThread,
     .column = "prev"},
    {.name = "prev_state",
     .derived = [](const void* r) { return SwitchStateName(As<SwitchEvent>(r)); },
     .note = "`preempted`, `runnable`, `sleeping`, `disk sleep`, `stopped`, `traced`, `parked`, "
             "`dead`, `idle`, `state 0x…`"},
    {.name = "prev_state_bits",
     .member = Member<&SwitchEvent::prev_state>(),
     .column = "state",
     .shift = 1,
     .hex = true,
     .note = "the kernel's bit mask"},
    {.name = "preempted",
     .member = Member<&SwitchEvent::preempted>(),
     .column = "state",
     .bits = 1},
    {.name = "next_tid",
     .member = Member<&SwitchEvent::next_tid>(),
     .coding = Coding::kThread,
     .column = "next"},
};

constexpr EventField kWakeFields[] = {
    {.name = "wakee_tid",
     .member = Member<&WakeEvent::wakee_tid>(),
     .coding = Coding::kThread,
     .column = "wakee"},
    {.name = "waker_tid",
     .member = Member<&WakeEvent::waker_tid>(),
     .coding = Coding::kThread,
     .column = "waker"},
    {.name = "waker_is_cause",
     .member = Member<&WakeEvent::waker_is_cause>(),
     .column = "source",
     .shift = 3,
     .bits = 1,
     .in_causes = true,
     .note = "else it was only interrupted"},
    {.name = "context",
     .member = Member<&WakeEvent::context>(),
     .column = "source",
     .bits = 3,
     .in_causes = true,
     .max = static_cast<uint64_t>(WakeContext::kNmi),
     .word = Word<WakeContext, WakeContextName>},
    {.name = "vector",
     .member = Member<&WakeEvent::vector>(),
     .column = "source",
     .shift = 4,
     .in_causes = true,
     .shown_if =
         [](const void* r) {
           const WakeContext context = As<WakeEvent>(r).context;
           return context == WakeContext::kSoftirq || context == WakeContext::kHardirq;
         }},
    {.name = "device_kind",
     .member = Member<&WakeEvent::device_kind>(),
     .column = "device_kind",
     .in_causes = true,
     .max = static_cast<uint64_t>(DeviceKind::kNic),
     .shown = false,
     .word = Word<DeviceKind, DeviceKindName>},
    {.name = "device",
     .member = Member<&WakeEvent::device>(),
     .column = "device",
     .in_causes = true,
     .shown = false,
     .hex = true,
     .note = "of a disk major << 20 \\| minor"},
    {.name = "disk",
     .member = Member<&WakeEvent::device>(),
     .shown_if = [](const void* r) { return As<WakeEvent>(r).device_kind == DeviceKind::kDisk; },
     .named_by = NamedBy::kDisks},
    {.name = "interface",
     .member = Member<&WakeEvent::device>(),
     .shown_if = [](const void* r) { return As<WakeEvent>(r).device_kind == DeviceKind::kNic; },
     .named_by = NamedBy::kInterfaces},
    {.name = "flow_id",
     .member = Member<&WakeEvent::flow_id>(),
     .column = "flow_id",
     .in_causes = true,
     .shown_if = [](const void* r) { return As<WakeEvent>(r).flow_id != 0; }},
};

constexpr EventField kIrqRunFields[] = {
    {.name = "source",
     .member = Member<&IrqRunEvent::hard>(),
     .column = "source",
     .shift = 1,
     .bits = 1,
     .max = 1,
     .word = [](uint64_t hard) { return std::string(hard != 0 ? "hardirq" : "softirq"); }},
    {.name = "vector", .member = Member<&IrqRunEvent::vector>(), .column = "source", .shift = 2},
    {.name = "name",
     .member = Member<&IrqRunEvent::vector>(),
     .shown_if =
         [](const void* r) {
           const auto& run = As<IrqRunEvent>(r);
           return !run.hard && !SoftirqName(run.vector).empty();
         },
     .word = [](uint64_t v) { return std::string(SoftirqName(static_cast<uint32_t>(v))); }},
    {.name = "name",
     .member = Member<&IrqRunEvent::vector>(),
     .shown_if = [](const void* r) { return As<IrqRunEvent>(r).hard; },
     .named_by = NamedBy::kInterrupts},
    {.name = "duration_ns", .member = Member<&IrqRunEvent::duration_ns>(), .column = "duration_ns"},
    {.name = "woke",
     .member = Member<&IrqRunEvent::woke>(),
     .column = "source",
     .bits = 1,
     .note = "somebody, and not by the deed of the thread that it interrupted"},
};

constexpr std::array<EventField, 6> BlockFields(bool complete) {
  return {{
      {.name = "disk",
       .member = Member<&BlockEvent::device>(),
       .column = "device",
       .named_by = NamedBy::kDisks,
       .hex = true,
       .note = "major << 20 \\| minor"},
      {.name = "operation",
       .member = Member<&BlockEvent::operation>(),
       .column = "operation",
       .max = static_cast<uint64_t>(BlockOperation::kDiscard),
       .word = Word<BlockOperation, BlockOperationName>},
      {.name = "sector",
       .member = Member<&BlockEvent::sector>(),
       .coding = Coding::kDelta,
       .column = "sector_delta"},
      {.name = "bytes", .member = Member<&BlockEvent::bytes>(), .column = "bytes"},
      {.name = "tid",
       .member = Member<&BlockEvent::tid>(),
       .coding = Coding::kThread,
       .column = "thread"},
      {.name = "service_ns",
       .member = Member<&BlockEvent::service_ns>(),
       .column = "service_ns",
       .shown = complete,
       .note = complete ? "0: its issue was not seen" : "0"},
  }};
}
constexpr auto kBlockIssueFields = BlockFields(/*complete=*/false);
constexpr auto kBlockCompleteFields = BlockFields(/*complete=*/true);

constexpr EventField kNetFields[] = {
    {.name = "interface",
     .member = Member<&NetEvent::interface>(),
     .column = "interface",
     .shown_if = [](const void* r) { return As<NetEvent>(r).interface != 0; },
     .named_by = NamedBy::kInterfaces},
    {.name = "flow_id",
     .member = Member<&NetEvent::flow_id>(),
     .column = "flow_id",
     .note = "0: none"},
    {.name = "bytes", .member = Member<&NetEvent::bytes>(), .column = "bytes"},
    {.name = "sequence",
     .member = Member<&NetEvent::sequence>(),
     .coding = Coding::kFollows,
     .column = "sequence",
     .base = Member<&NetEvent::bytes>(),
     .group = Member<&NetEvent::flow_id>(),
     .follows_flag = "sequence_follows"},
    {.name = "tid",
     .member = Member<&NetEvent::tid>(),
     .coding = Coding::kThread,
     .column = "thread"},
    {.name = "in_softirq",
     .member = Member<&NetEvent::in_softirq>(),
     .column = "in_softirq",
     .note = "the thread was only interrupted"},
};

bool IsAlive(const void* record) { return As<TaskRecord>(record).change == TaskChange::kAlive; }

constexpr EventField kTaskFields[] = {
    {.name = "change",
     .member = Member<&TaskRecord::change>(),
     .column = "change",
     .shift = 2,
     .max = static_cast<uint64_t>(TaskChange::kExit),
     .word = Word<TaskChange, TaskChangeName>},
    {.name = "tid",
     .member = Member<&TaskRecord::tid>(),
     .coding = Coding::kDelta,
     .column = "tid_delta",
     .has_part = Always},
    {.name = "comm",
     .member = Member<&TaskRecord::comm>(),
     .coding = Coding::kText,
     .column = "comm",
     .texts = "comms"},
    {.name = "tgid",
     .member = Member<&TaskRecord::tgid>(),
     .coding = Coding::kDistance,
     .column = "tgid_distance",
     .base = Member<&TaskRecord::tid>()},
    {.name = "parent_tid",
     .member = Member<&TaskRecord::parent_tid>(),
     .coding = Coding::kDelta,
     .column = "parent_tid_delta",
     .has_part = [](const void* r) { return As<TaskRecord>(r).change == TaskChange::kNew; }},
    {.name = "namespaced_tid",
     .member = Member<&TaskRecord::namespaced_tid>(),
     .coding = Coding::kDistance,
     .column = "namespaced_distance",
     .base = Member<&TaskRecord::tid>()},
    {.name = "start_time_ns",
     .member = Member<&TaskRecord::start_time_ns>(),
     .coding = Coding::kDelta,
     .column = "start_time_delta_ns"},
    {.name = "cgroup_id",
     .member = Member<&TaskRecord::cgroup_id>(),
     .coding = Coding::kDelta,
     .column = "cgroup_delta"},
    {.name = "kernel_thread",
     .member = Member<&TaskRecord::kernel_thread>(),
     .column = "change",
     .bits = 1},
    {.name = "recorder",
     .member = Member<&TaskRecord::recorder>(),
     .column = "change",
     .shift = 1,
     .bits = 1,
     .note = "one of the recorder's own threads"},
    {.name = "state_bits",
     .member = Member<&TaskRecord::state>(),
     .column = "state",
     .shown_if = IsAlive,
     .hex = true,
     .note = "of one alive"},
    {.name = "switches",
     .member = Member<&TaskRecord::switches>(),
     .column = "switches",
     .absent_if_zero = true,
     .shown_if = [](const void* r) { return As<TaskRecord>(r).switches.has_value(); },
     .note = "how often it had left a CPU"},
    {.name = "command",
     .member = Member<&TaskRecord::command>(),
     .coding = Coding::kText,
     .column = "command",
     .texts = "commands",
     .shown_if = [](const void* r) { return !As<TaskRecord>(r).command.empty(); },
     .note = "line of a process alive or at exec, secrets masked"},
    {.name = "directory",
     .member = Member<&TaskRecord::directory>(),
     .coding = Coding::kText,
     .column = "directory",
     .texts = "directories",
     .shown_if = [](const void* r) { return !As<TaskRecord>(r).directory.empty(); },
     .note = "in which it worked then"},
};

bool TellsKey(const void* record) { return HasKey(As<ProbeEvent>(record)); }
bool TellsCount(const void* record) { return As<ProbeEvent>(record).kind == ProbeKind::kCount; }

constexpr EventField kProbeFields[] = {
    {.name = "probe",
     .member = Member<&ProbeEvent::kind>(),
     .column = "kind",
     .min = static_cast<uint64_t>(ProbeKind::kSpinBegin),
     .max = static_cast<uint64_t>(ProbeKind::kCount),
     .word = Word<ProbeKind, ProbeKindName>},
    {.name = "tid",
     .member = Member<&ProbeEvent::tid>(),
     .coding = Coding::kThread,
     .column = "thread"},
    {.name = "name",
     .member = Member<&ProbeEvent::name>(),
     .coding = Coding::kName,
     .column = "name"},
    {.name = "value",
     .member = Member<&ProbeEvent::value>(),
     .column = "value",
     .name_if = TellsKey,
     .shown_if = [](const void* r) { return !TellsKey(r) && !TellsCount(r); },
     .hex = true,
     .note = "of a spin the lock"},
    {.name = "value",
     .member = Signed(Member<&ProbeEvent::value>()),
     .shown_if = TellsCount,
     .note = "of a count the number"},
    {.name = "key",
     .member = Member<&ProbeEvent::value>(),
     .coding = Coding::kName,
     .shown_if = TellsKey,
     .note = "of a `phase_begin`, in place of a value"},
};

constexpr EventField kLossFields[] = {
    {.name = "of",
     .member = Member<&LossEvent::kind>(),
     .column = "kind",
     .min = 1,
     .max = kEventKinds - 1,
     .word = Word<EventKind, EventKindName>,
     .note = "the kind of the lost records"},
    {.name = "count", .member = Member<&LossEvent::count>(), .column = "count"},
    {.name = "duration_ns",
     .member = Member<&LossEvent::duration_ns>(),
     .column = "duration_ns",
     .note = "of the interval that ends here"},
};

bool IsFlowFamily(uint64_t family) {
  return family == static_cast<uint64_t>(FlowFamily::kUnknown) ||
         family == static_cast<uint64_t>(FlowFamily::kIpv4) ||
         family == static_cast<uint64_t>(FlowFamily::kIpv6);
}

bool IsLocal(const void* record) { return As<FlowRecord>(record).local != LocalChannel::kNone; }

constexpr EventField kFlowFields[] = {
    {.name = "flow_id",
     .member = Member<&FlowRecord::flow_id>(),
     .coding = Coding::kDelta,
     .column = "flow_id_delta"},
    {.name = "protocol",
     .member = Member<&FlowRecord::protocol>(),
     .column = "protocol",
     .word = [](uint64_t protocol) { return ProtocolName(static_cast<uint16_t>(protocol)); },
     .note = "IPPROTO_TCP, …"},
    {.name = "source", .derived = [](const void* r) { return FlowSourceText(As<FlowRecord>(r)); }},
    {.name = "destination",
     .derived = [](const void* r) { return FlowDestinationText(As<FlowRecord>(r)); }},
    {.name = "family",
     .member = Member<&FlowRecord::family>(),
     .column = "family",
     .max = static_cast<uint64_t>(FlowFamily::kIpv6),
     .accepts = IsFlowFamily,
     .shown = false,
     .note = "0 unknown, 4, 6"},
    {.name = "source_port",
     .member = Member<&FlowRecord::source_port>(),
     .column = "source_port",
     .shown = false},
    {.name = "destination_port",
     .member = Member<&FlowRecord::destination_port>(),
     .column = "destination_port",
     .shown = false},
    {.name = "source_address",
     .member = Member<&FlowRecord::source>(),
     .coding = Coding::kAddress,
     .column = "source",
     .shown = false},
    {.name = "destination_address",
     .member = Member<&FlowRecord::destination>(),
     .coding = Coding::kAddress,
     .column = "destination",
     .shown = false},
    {.name = "origin_flow_id",
     .member = Member<&FlowRecord::origin_flow_id>(),
     .column = "origin_flow_id",
     .shown_if = [](const void* r) { return As<FlowRecord>(r).origin_flow_id != 0; },
     .note = "whose packets go on in this flow with other addresses; 0: not told"},
    {.name = "local",
     .member = Member<&FlowRecord::local>(),
     .column = "local",
     .bits = 2,
     .max = static_cast<uint64_t>(LocalChannel::kPipe),
     .unknown_is_zero = true,
     .shown_if = IsLocal,
     .word = Word<LocalChannel, LocalChannelName>},
    {.name = "server",
     .member = Member<&FlowRecord::server>(),
     .column = "local",
     .shift = 2,
     .max = static_cast<uint64_t>(LocalServer::kDestination),
     .unknown_is_zero = true,
     .shown_if = IsLocal,
     .word = Word<LocalServer, LocalServerName>,
     .note = "the end that accepted the connection"},
    {.name = "name",
     .member = Member<&FlowRecord::name>(),
     .coding = Coding::kText,
     .column = "name",
     .texts = "local_names",
     .shown_if = IsLocal,
     .note = "the bound address of a unix socket, or a FIFO's path"},
};

constexpr EventField kStackSampleFields[] = {
    {.name = "tid",
     .member = Member<&StackSampleEvent::tid>(),
     .coding = Coding::kThread,
     .column = "thread"},
    {.name = "moment",
     .member = Member<&StackSampleEvent::moment>(),
     .column = "moment",
     .bits = 2,
     .min = static_cast<uint64_t>(StackMoment::kWait),
     .max = static_cast<uint64_t>(StackMoment::kCpu),
     .word = Word<StackMoment, StackMomentName>},
    {.name = "stack_id",
     .member = Member<&StackSampleEvent::stack_id>(),
     .column = "stack_id",
     .note = "0: not known"},
    {.name = "weight_log2",
     .member = Member<&StackSampleEvent::weight_log2>(),
     .column = "moment",
     .shift = 2,
     .max = kMaxWeightLog2,
     .note = "it stands for 2^`weight_log2` such moments"},
    {.name = "object_id",
     .member = Member<&StackSampleEvent::object_id>(),
     .column = "object_id",
     .note = "of a wait: what for; 0: not known"},
};

constexpr EventField kStackFields[] = {
    {.name = "stack_id",
     .member = Member<&StackRecord::stack_id>(),
     .coding = Coding::kDelta,
     .column = "stack_id_delta"},
    {.name = "tgid",
     .member = Member<&StackRecord::tgid>(),
     .coding = Coding::kDelta,
     .column = "tgid_delta"},
    {.name = "kernel",
     .member = Member<&StackRecord::kernel>(),
     .coding = Coding::kList,
     .column = "kernel_frames",
     .hex = true,
     .note = "addresses, innermost first"},
    {.name = "user",
     .member = Member<&StackRecord::user>(),
     .coding = Coding::kList,
     .column = "user_frames",
     .hex = true,
     .note = "likewise"},
};

bool IsSocket(const void* record) {
  return As<WaitObjectRecord>(record).kind == WaitObjectKind::kSocket;
}

constexpr EventField kWaitObjectFields[] = {
    {.name = "object_id",
     .member = Member<&WaitObjectRecord::object_id>(),
     .coding = Coding::kDelta,
     .column = "object_id_delta"},
    {.name = "object",
     .member = Member<&WaitObjectRecord::kind>(),
     .column = "kind",
     .max = kMaxWaitObjectKind,
     .unknown_is_zero = true,
     .word = Word<WaitObjectKind, WaitObjectKindName>},
    {.name = "call",
     .member = Member<&WaitObjectRecord::call>(),
     .column = "call",
     .shift = 2,
     .max = kWaitCalls - 1,
     .unknown_is_zero = true,
     .word = [](uint64_t call) { return std::string(WaitCallName(static_cast<WaitCall>(call))); },
     .note = "the system call; [wait_object.cc](../trace/wait_object.cc) has their numbers"},
    {.name = "text",
     .derived = [](const void* r) { return WaitObjectText(As<WaitObjectRecord>(r)); },
     .note = "as reports say it"},
    {.name = "tgid",
     .member = Member<&WaitObjectRecord::tgid>(),
     .coding = Coding::kDelta,
     .column = "tgid_delta"},
    {.name = "descriptor",
     .member = Member<&WaitObjectRecord::descriptor>(),
     .column = "file_descriptor"},
    {.name = "value",
     .member = Member<&WaitObjectRecord::value>(),
     .coding = Coding::kDelta,
     .column = "value_delta",
     .hex = true,
     .note = "address, inode, number, pid, or nanoseconds: see "
             "[wait_object.h](../trace/wait_object.h)"},
    {.name = "device",
     .member = Member<&WaitObjectRecord::device>(),
     .column = "device",
     .hex = true,
     .note = "major << 20 \\| minor"},
    {.name = "path",
     .member = Member<&WaitObjectRecord::path>(),
     .coding = Coding::kText,
     .column = "path",
     .texts = "paths"},
    {.name = "shared", .member = Member<&WaitObjectRecord::shared>(), .column = "call", .bits = 1},
    {.name = "listening",
     .member = Member<&WaitObjectRecord::listening>(),
     .column = "call",
     .shift = 1,
     .bits = 1,
     .shown_if = IsSocket},
    {.name = "family",
     .member = Member<&WaitObjectRecord::family>(),
     .column = "family",
     .stored_if = IsSocket,
     .shown_if = IsSocket},
    {.name = "protocol",
     .member = Member<&WaitObjectRecord::protocol>(),
     .column = "protocol",
     .stored_if = IsSocket,
     .shown_if = IsSocket},
    {.name = "local",
     .shown_if = IsSocket,
     .derived =
         [](const void* r) {
           const auto& object = As<WaitObjectRecord>(r);
           return SocketAddressText(object.family, object.local, object.local_port);
         }},
    {.name = "peer",
     .shown_if = IsSocket,
     .derived =
         [](const void* r) {
           const auto& object = As<WaitObjectRecord>(r);
           return SocketAddressText(object.family, object.peer, object.peer_port);
         }},
    {.name = "peer_tgid",
     .member = Member<&WaitObjectRecord::peer_tgid>(),
     .coding = Coding::kZigZag,
     .column = "peer_tgid",
     .stored_if = IsSocket,
     .shown_if = IsSocket},
    {.name = "local_port",
     .member = Member<&WaitObjectRecord::local_port>(),
     .column = "local_port",
     .stored_if = IsSocket,
     .shown = false},
    {.name = "peer_port",
     .member = Member<&WaitObjectRecord::peer_port>(),
     .column = "peer_port",
     .stored_if = IsSocket,
     .shown = false},
    {.name = "local_address",
     .member = Member<&WaitObjectRecord::local>(),
     .coding = Coding::kAddress,
     .column = "local",
     .stored_if = IsSocket,
     .shown = false},
    {.name = "peer_address",
     .member = Member<&WaitObjectRecord::peer>(),
     .coding = Coding::kAddress,
     .column = "peer",
     .stored_if = IsSocket,
     .shown = false},
};

constexpr EventField kWorkFields[] = {
    {.name = "tid",
     .member = Member<&WorkEvent::tid>(),
     .coding = Coding::kThread,
     .column = "thread"},
    {.name = "name",
     .member = Member<&WorkEvent::name>(),
     .coding = Coding::kName,
     .column = "name"},
    {.name = "runs", .member = Member<&WorkEvent::runs>(), .column = "runs"},
    {.name = "duration_ns",
     .member = Member<&WorkEvent::duration_ns>(),
     .column = "duration_ns",
     .note = "of all these runs"},
};

constexpr EventField kLocalMessageFields[] = {
    {.name = "flow_id",
     .member = Member<&LocalMessageEvent::flow_id>(),
     .column = "flow_id",
     .note = "of a flow that is `local`"},
    {.name = "tid",
     .member = Member<&LocalMessageEvent::tid>(),
     .coding = Coding::kThread,
     .column = "thread"},
    {.name = "bytes", .member = Member<&LocalMessageEvent::bytes>(), .column = "bytes"},
    {.name = "sent",
     .member = Member<&LocalMessageEvent::sent>(),
     .column = "sent",
     .note = "else received"},
    {.name = "since_ns",
     .member = Member<&LocalMessageEvent::since_ns>(),
     .column = "since_ns",
     .note = "how long before its time the first data could be read"},
};

constexpr EventSchema kSchemas[] = {
    {.kind = EventKind::kSwitch, .name = "switch", .message = "switches", .fields = kSwitchFields},
    {.kind = EventKind::kWake, .name = "wake", .message = "wakes", .fields = kWakeFields},
    {.kind = EventKind::kIrqRun,
     .name = "irq_run",
     .message = "irq_runs",
     .fields = kIrqRunFields,
     .note = "its time is the end"},
    {.kind = EventKind::kBlockIssue,
     .name = "block_issue",
     .message = "block_issues",
     .fields = kBlockIssueFields},
    {.kind = EventKind::kBlockComplete,
     .name = "block_complete",
     .message = "block_completes",
     .fields = kBlockCompleteFields},
    {.kind = EventKind::kNetSend, .name = "net_send", .message = "net_sends", .fields = kNetFields},
    {.kind = EventKind::kNetReceive,
     .name = "net_receive",
     .message = "net_receives",
     .fields = kNetFields,
     .note = "over loopback a packet that is received within its sender's system call is told by "
             "its `net_send` alone"},
    {.kind = EventKind::kTask,
     .name = "task",
     .message = "tasks",
     .fields = kTaskFields,
     .table = Table<&EventBlock::tasks>()},
    {.kind = EventKind::kProbe,
     .name = "probe",
     .message = "probes",
     .fields = kProbeFields,
     .note = "in a CPU's file: system calls that the recording was asked to count "
             "(`options.counted_calls`), each a count of 1 of \"syscall NAME\""},
    {.kind = EventKind::kLoss, .name = "loss", .message = "losses", .fields = kLossFields},
    {.kind = EventKind::kFlow,
     .name = "flow",
     .message = "flows",
     .fields = kFlowFields,
     .table = Table<&EventBlock::flows>()},
    {.kind = EventKind::kStackSample,
     .name = "stack_sample",
     .message = "stack_samples",
     .fields = kStackSampleFields},
    {.kind = EventKind::kStack,
     .name = "stack",
     .message = "stacks",
     .fields = kStackFields,
     .table = Table<&EventBlock::stacks>(),
     .list_column = "address_delta",
     .note = "the addresses of both, at most 256 together, stand one stack after the other"},
    {.kind = EventKind::kWaitObject,
     .name = "wait_object",
     .message = "wait_objects",
     .fields = kWaitObjectFields,
     .table = Table<&EventBlock::wait_objects>()},
    {.kind = EventKind::kWork,
     .name = "work",
     .message = "works",
     .fields = kWorkFields,
     .note = "of a kernel worker; its time is the end of these runs"},
    {.kind = EventKind::kLocalMessage,
     .name = "local_message",
     .message = "local_messages",
     .fields = kLocalMessageFields,
     .note =
         "data on a unix stream socket or in a pipe, with `--local-messages`; its time is about "
         "the end of the call"},
};
static_assert(std::size(kSchemas) == kEventKinds - 1, "a kind has no schema");

constexpr bool StandByTheirNumbers() {
  for (size_t i = 0; i < std::size(kSchemas); ++i)
    if (static_cast<size_t>(kSchemas[i].kind) != i + 1) return false;
  return true;
}
static_assert(StandByTheirNumbers());

}  // namespace

std::span<const EventSchema> EventSchemas() { return kSchemas; }

const EventSchema* FindSchema(EventKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number > 0 && number < kEventKinds ? &kSchemas[number - 1] : nullptr;
}

const char* EventKindName(EventKind kind) {
  const EventSchema* schema = FindSchema(kind);
  return schema == nullptr ? "unknown" : schema->name;
}

const void* RecordOf(const TraceEvent& event, const EventBlock& block) {
  const EventSchema* schema = FindSchema(event.kind);
  if (schema == nullptr) return nullptr;
  if (!schema->has_table()) return &event.sched_switch;  // or another value that stands there
  const size_t index = event.task.index;
  if (index >= schema->table.size(block)) return nullptr;
  return schema->table.at(const_cast<EventBlock&>(block), index);
}

}  // namespace gordian
