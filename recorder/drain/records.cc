// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/records.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "recorder/drain/path_text.h"
#include "recorder/drain/wait_objects.h"
#include "trace/event_words.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// The kernel side and the files use the same numbers.
static_assert(GD_SWITCH == static_cast<int>(EventKind::kSwitch) &&
              GD_WAKE == static_cast<int>(EventKind::kWake) &&
              GD_IRQ_RUN == static_cast<int>(EventKind::kIrqRun) &&
              GD_BLOCK_ISSUE == static_cast<int>(EventKind::kBlockIssue) &&
              GD_BLOCK_COMPLETE == static_cast<int>(EventKind::kBlockComplete) &&
              GD_NET_SEND == static_cast<int>(EventKind::kNetSend) &&
              GD_NET_RECEIVE == static_cast<int>(EventKind::kNetReceive) &&
              GD_TASK == static_cast<int>(EventKind::kTask) &&
              GD_COUNTED_CALL == static_cast<int>(EventKind::kProbe) &&
              GD_FLOW == static_cast<int>(EventKind::kFlow) &&
              GD_STACK_SAMPLE == static_cast<int>(EventKind::kStackSample) &&
              GD_STACK == static_cast<int>(EventKind::kStack) &&
              GD_WAIT_OBJECT == static_cast<int>(EventKind::kWaitObject) &&
              GD_WORK == static_cast<int>(EventKind::kWork) &&
              GD_LOCAL_MESSAGE == static_cast<int>(EventKind::kLocalMessage));
static_assert(GD_LOCAL_PIPE == static_cast<int>(LocalChannel::kPipe) &&
              GD_SERVER_DESTINATION == static_cast<int>(LocalServer::kDestination));
static_assert(GD_STACK_WAIT == static_cast<int>(StackMoment::kWait) &&
              GD_STACK_WAKE == static_cast<int>(StackMoment::kWake) &&
              GD_STACK_CPU == static_cast<int>(StackMoment::kCpu));
static_assert(GD_CONTEXT_TIMER == static_cast<int>(WakeContext::kTimer) &&
              GD_CONTEXT_HARDIRQ == static_cast<int>(WakeContext::kHardirq));
static_assert(GD_DEVICE_DISK == static_cast<int>(DeviceKind::kDisk) &&
              GD_DEVICE_NIC == static_cast<int>(DeviceKind::kNic));

// Records lie in the ring without a promise of alignment beyond 8 bytes: copied out, the compiler
// turns it into loads.
template <typename Record>
Record Copy(const void* bytes) {
  Record record;
  std::memcpy(&record, bytes, sizeof(record));
  return record;
}

TraceEvent Event(uint64_t time_ns, uint8_t kind, const EventBlock& block) {
  return TraceEvent{.time_ns = time_ns, .kind = static_cast<EventKind>(kind), .cpu = block.cpu};
}

void AppendSwitch(const gd_switch& record, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.sched_switch = {.prev_tid = record.prev_tid,
                        .next_tid = record.next_tid,
                        .prev_state = record.prev_state,
                        .preempted = record.preempted != 0};
  block.events.push_back(event);
}

void AppendWake(const gd_wake& record, InterfaceNumbers& interfaces, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  const auto device_kind = static_cast<DeviceKind>(record.how >> GD_DEVICE_KIND_SHIFT);
  event.wake = {.wakee_tid = record.wakee_tid,
                .waker_tid = record.waker_tid,
                .context = static_cast<WakeContext>(record.how & GD_CONTEXT_MASK),
                .waker_is_cause = (record.how & GD_WAKER_IS_CAUSE) != 0,
                .device_kind = device_kind,
                .vector = record.vector,
                .device = device_kind == DeviceKind::kNic
                              ? interfaces.NumberOf(record.network, record.device)
                              : record.device,
                .flow_id = record.flow_id};
  block.events.push_back(event);
}

void AppendIrqRun(const gd_irq_run& record, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.irq_run = {.duration_ns = record.duration_ns,
                   .vector = static_cast<uint16_t>(record.vector),
                   .hard = record.hard != 0,
                   .woke = record.woke != 0};
  block.events.push_back(event);
}

void AppendBlockIo(const gd_block& record, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.block = {.sector = record.sector,
                 .service_ns = record.service_ns,
                 .device = record.device,
                 .bytes = record.bytes,
                 .tid = record.tid,
                 .operation = static_cast<BlockOperation>(record.operation)};
  block.events.push_back(event);
}

void AppendNet(const gd_net& record, InterfaceNumbers& interfaces, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.net = {.flow_id = record.flow_id,
               .interface = interfaces.NumberOf(record.network, record.interface),
               .bytes = record.bytes,
               .sequence = record.sequence,
               .tid = record.tid,
               .in_softirq = record.in_softirq != 0};
  block.events.push_back(event);
}

// False if the call is not counted.
bool AppendCountedCall(const gd_counted_call& record, const std::vector<std::string>& calls,
                       EventBlock& block) {
  if (record.call >= calls.size()) return false;
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.probe = {.tid = record.tid,
                 .kind = ProbeKind::kCount,
                 .name = block.InternName(CounterOfCall(calls[record.call])),
                 .value = 1};
  block.events.push_back(event);
  return true;
}

void AppendStackSample(const gd_stack_sample& record, StackIds& stack_ids, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.stack_sample = {.stack_id = stack_ids.IdOf(record.hash),
                        .tid = record.tid,
                        .moment = static_cast<StackMoment>(record.moment),
                        .weight_log2 = record.weight_log2,
                        .object_id = stack_ids.IdOf(record.object_hash)};
  block.events.push_back(event);
}

// False if it tells of more frames than it can hold.
bool AppendStack(const gd_stack& record, StackIds& stack_ids, EventBlock& block) {
  if (record.kernel_frames > GD_KERNEL_FRAMES || record.user_frames > GD_USER_FRAMES) return false;
  const uint32_t id = stack_ids.IdOf(record.hash);
  if (id == 0) return true;  // its samples have no number either
  StackRecord stack{.stack_id = id, .tgid = record.tgid};
  stack.exact = record.exact != 0;
  stack.kernel.assign(record.kernel, record.kernel + record.kernel_frames);
  stack.user.assign(record.user, record.user + record.user_frames);
  if (record.hidden_caller != 0 && !stack.user.empty())
    stack.user.insert(stack.user.begin() + 1, record.hidden_caller);
  block.AddStack(record.time_ns, std::move(stack));
  return true;
}

// A unix socket's bound address: an abstract one begins with a NUL, a path may end in some.
std::string SocketName(std::string_view address) {
  std::string name(address);
  if (!name.empty() && name.front() == '\0') {
    name.front() = '@';
    return name;
  }
  return name.substr(0, name.find('\0'));
}

// False if it claims more than it can hold.
bool AppendLocalFlow(const gd_local_flow& record, EventBlock& block) {
  if (record.path_bytes > sizeof(record.path) || record.channel > GD_LOCAL_PIPE ||
      record.server > GD_SERVER_DESTINATION)
    return false;
  const std::string_view path(record.path, record.path_bytes);
  FlowRecord flow{.flow_id = record.flow_id};
  flow.local = static_cast<LocalChannel>(record.channel);
  flow.server = static_cast<LocalServer>(record.server);
  flow.source = AddressOf({record.source.number, record.source.inode});
  flow.destination = AddressOf({record.destination.number, record.destination.inode});
  flow.name = flow.local == LocalChannel::kUnixSocket ? SocketName(path)
                                                      : PathText(path, record.path_state);
  block.AddFlow(record.time_ns, flow);
  return true;
}

void AppendLocalMessage(const gd_local_message& record, EventBlock& block) {
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.local_message = {.since_ns = record.since_ns,
                         .flow_id = record.flow_id,
                         .bytes = record.bytes,
                         .tid = record.tid,
                         .sent = record.sent != 0};
  block.events.push_back(event);
}

// All kinds of work share the queues of that name: there the function tells more.
bool IsSharedQueue(std::string_view queue) {
  return queue.empty() || queue.starts_with("events") || queue == "mm_percpu_wq";
}

void AppendWork(const gd_work& record, EventBlock& block) {
  const std::string_view queue(record.queue, strnlen(record.queue, sizeof(record.queue)));
  const std::string_view function(record.function,
                                  strnlen(record.function, sizeof(record.function)));
  const bool by_function = IsSharedQueue(queue) && !function.empty();
  TraceEvent event = Event(record.time_ns, record.kind, block);
  event.work = {.duration_ns = record.duration_ns,
                .tid = record.tid,
                .name = block.InternName(by_function ? function : queue),
                .runs = record.runs};
  block.events.push_back(event);
}

// False if it claims more than it can hold.
bool AppendWaitObject(const gd_wait_object& record, StackIds& stack_ids, EventBlock& block) {
  std::optional<WaitObjectRecord> object = ToWaitObject(record);
  if (!object) return false;
  object->object_id = stack_ids.IdOf(record.hash);
  if (object->object_id != 0) block.AddWaitObject(record.time_ns, *std::move(object));
  return true;
}

}  // namespace

TaskRecord ToTaskRecord(const gd_task& task) {
  static const int32_t own_pid = getpid();
  const auto change = static_cast<TaskChange>(task.change);
  return TaskRecord{
      .change = change,
      .kernel_thread = task.kernel_thread != 0,
      .recorder = task.tgid == own_pid,
      .tid = task.tid,
      .tgid = task.tgid,
      .parent_tid = task.parent_tid,
      .namespaced_tid = task.namespaced_tid,
      .state = task.state,
      .switches = change == TaskChange::kAlive ? std::optional(task.switches) : std::nullopt,
      .start_time_ns = task.start_time_ns,
      .cgroup_id = task.cgroup_id,
      .comm = std::string(task.comm, strnlen(task.comm, sizeof(task.comm)))};
}

std::optional<TaskRecord> ToTaskRecord(const gd_exec& exec) {
  if (exec.command_bytes > sizeof(exec.command) || exec.directory_bytes > sizeof(exec.directory))
    return std::nullopt;
  TaskRecord task = ToTaskRecord(exec.task);
  task.command = CommandLineText(std::string_view(exec.command, exec.command_bytes),
                                 exec.argument_bytes > exec.command_bytes);
  task.directory = DirectoryText(
      PathText(std::string_view(exec.directory, exec.directory_bytes), exec.directory_state));
  return task;
}

FlowRecord ToFlowRecord(const gd_flow& flow) {
  FlowRecord record{.flow_id = flow.flow_id,
                    .family = static_cast<FlowFamily>(flow.key.family),
                    .protocol = flow.key.protocol,
                    .source_port = flow.key.source_port,
                    .destination_port = flow.key.destination_port,
                    .origin_flow_id = flow.origin_flow_id};
  std::copy(std::begin(flow.key.source), std::end(flow.key.source), record.source.begin());
  std::copy(std::begin(flow.key.destination), std::end(flow.key.destination),
            record.destination.begin());
  return record;
}

namespace {

void AppendTask(const gd_task& task, EventBlock& block) {
  block.AddTask(task.time_ns, ToTaskRecord(task));
}

// False if it claims more than it can hold.
bool AppendExec(const gd_exec& exec, EventBlock& block) {
  std::optional<TaskRecord> task = ToTaskRecord(exec);
  if (!task) return false;
  block.AddTask(exec.task.time_ns, *std::move(task));
  return true;
}

}  // namespace

bool AppendRecord(const void* record, size_t size, RecordNames& names, EventBlock& block) {
  if (size < sizeof(gd_record)) return false;
  const auto fits = [size](size_t wanted) { return size >= wanted; };
  switch (Copy<gd_record>(record).kind) {
    case GD_SWITCH:
      if (!fits(sizeof(gd_switch))) return false;
      AppendSwitch(Copy<gd_switch>(record), block);
      return true;
    case GD_WAKE:
      if (!fits(sizeof(gd_wake))) return false;
      AppendWake(Copy<gd_wake>(record), names.interfaces, block);
      return true;
    case GD_IRQ_RUN:
      if (!fits(sizeof(gd_irq_run))) return false;
      AppendIrqRun(Copy<gd_irq_run>(record), block);
      return true;
    case GD_BLOCK_ISSUE:
    case GD_BLOCK_COMPLETE:
      if (!fits(sizeof(gd_block))) return false;
      AppendBlockIo(Copy<gd_block>(record), block);
      return true;
    case GD_NET_SEND:
    case GD_NET_RECEIVE:
      if (!fits(sizeof(gd_net))) return false;
      AppendNet(Copy<gd_net>(record), names.interfaces, block);
      return true;
    case GD_TASK:
      if (fits(sizeof(gd_exec))) return AppendExec(Copy<gd_exec>(record), block);
      if (!fits(sizeof(gd_task))) return false;
      AppendTask(Copy<gd_task>(record), block);
      return true;
    case GD_COUNTED_CALL:
      return fits(sizeof(gd_counted_call)) &&
             AppendCountedCall(Copy<gd_counted_call>(record), names.counted_calls, block);
    case GD_LOCAL_MESSAGE:
      if (!fits(sizeof(gd_local_message))) return false;
      AppendLocalMessage(Copy<gd_local_message>(record), block);
      return true;
    case GD_FLOW: {
      if (fits(sizeof(gd_local_flow))) return AppendLocalFlow(Copy<gd_local_flow>(record), block);
      if (!fits(sizeof(gd_flow))) return false;
      const gd_flow flow = Copy<gd_flow>(record);
      block.AddFlow(flow.time_ns, ToFlowRecord(flow));
      return true;
    }
    case GD_STACK_SAMPLE:
      if (!fits(sizeof(gd_stack_sample))) return false;
      AppendStackSample(Copy<gd_stack_sample>(record), names.stack_ids, block);
      return true;
    case GD_STACK:
      return fits(sizeof(gd_stack)) && AppendStack(Copy<gd_stack>(record), names.stack_ids, block);
    case GD_WORK:
      if (!fits(sizeof(gd_work))) return false;
      AppendWork(Copy<gd_work>(record), block);
      return true;
    case GD_WAIT_OBJECT:
      return fits(sizeof(gd_wait_object)) &&
             AppendWaitObject(Copy<gd_wait_object>(record), names.stack_ids, block);
  }
  return false;
}

}  // namespace gordian
