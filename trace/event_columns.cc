#include "trace/event_columns.h"

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

uint64_t ZigZagDifference(uint64_t value, uint64_t before) {
  return ZigZag(static_cast<int64_t>(value - before));
}

absl::Status RefersPastTable(const TraceEvent& event, uint64_t index, size_t size) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a ", EventKindName(event.kind), " event refers to entry ", index, " of a table of ", size));
}

}  // namespace

absl::Status EventColumns::Fill(const EventBlock& block, std::span<const TraceEvent> events,
                                pb::EventBlock& message) {
  threads_.Clear();
  current_tid_ = 0;
  task_before_ = TaskRecord{};
  flows_.clear();
  stacks_.clear();
  wait_objects_.clear();
  block_issues_.sector_before = block_completes_.sector_before = 0;
  wakes_.index_of_cause.clear();

  std::string& kinds = *message.mutable_kinds();
  kinds.resize(events.size());
  uint64_t time_before_ns = events.empty() ? 0 : events.front().time_ns;
  absl::Status status;
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    kinds[i] = static_cast<char>(event.kind);
    time_delta_ns_.Add(event.time_ns - time_before_ns);
    time_before_ns = event.time_ns;
    if (auto added = Add(block, event); !added.ok()) status = added;
  }
  // Also after an error, so that nothing of this block stays in the columns of the next.
  MoveColumns(message);
  return status;
}

absl::Status EventColumns::Add(const EventBlock& block, const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::kSwitch:
      AddSwitch(event.sched_switch);
      return absl::OkStatus();
    case EventKind::kWake:
      AddWake(event.wake);
      return absl::OkStatus();
    case EventKind::kIrqRun:
      irq_runs_.duration_ns.Add(event.irq_run.duration_ns);
      irq_runs_.source.Add(uint64_t{event.irq_run.vector} << 2 | (event.irq_run.hard ? 2 : 0) |
                           (event.irq_run.woke ? 1 : 0));
      return absl::OkStatus();
    case EventKind::kBlockIssue:
      AddBlockRequest(event.block, block_issues_);
      return absl::OkStatus();
    case EventKind::kBlockComplete:
      AddBlockRequest(event.block, block_completes_);
      return absl::OkStatus();
    case EventKind::kNetSend:
      AddPacket(event.net, net_sends_);
      return absl::OkStatus();
    case EventKind::kNetReceive:
      AddPacket(event.net, net_receives_);
      return absl::OkStatus();
    case EventKind::kTask:
      if (event.task.index >= block.tasks.size()) {
        return RefersPastTable(event, event.task.index, block.tasks.size());
      }
      AddTask(block.tasks[event.task.index]);
      return absl::OkStatus();
    case EventKind::kProbe:
      // Index 0 is the empty name even where the table has not been begun.
      if (event.probe.name > 0 && event.probe.name >= block.names.size()) {
        return RefersPastTable(event, event.probe.name, block.names.size());
      }
      if (HasKey(event.probe) && event.probe.value > 0 && event.probe.value >= block.names.size()) {
        return RefersPastTable(event, event.probe.value, block.names.size());
      }
      probes_.thread.Add(Thread(event.probe.tid));
      probes_.kind.Add(static_cast<uint64_t>(event.probe.kind));
      probes_.name.Add(event.probe.name == 0 ? 0 : names_.Index(block.names[event.probe.name]));
      probes_.value.Add(HasKey(event.probe) && event.probe.value > 0
                            ? names_.Index(block.names[event.probe.value])
                            : event.probe.value);
      return absl::OkStatus();
    case EventKind::kLoss:
      losses_.duration_ns.Add(event.loss.duration_ns);
      losses_.count.Add(event.loss.count);
      losses_.kind.Add(static_cast<uint64_t>(event.loss.kind));
      return absl::OkStatus();
    case EventKind::kFlow:
      if (event.flow.index >= block.flows.size()) {
        return RefersPastTable(event, event.flow.index, block.flows.size());
      }
      flows_.push_back(&block.flows[event.flow.index]);
      return absl::OkStatus();
    case EventKind::kStackSample:
      stack_samples_.stack_id.Add(event.stack_sample.stack_id);
      stack_samples_.thread.Add(Thread(event.stack_sample.tid));
      stack_samples_.moment.Add(uint64_t{event.stack_sample.weight_log2} << 2 |
                                static_cast<uint64_t>(event.stack_sample.moment));
      stack_samples_.object_id.Add(event.stack_sample.object_id);
      return absl::OkStatus();
    case EventKind::kStack:
      return AddStack(block, event);
    case EventKind::kWaitObject:
      if (event.wait_object.index >= block.wait_objects.size()) {
        return RefersPastTable(event, event.wait_object.index, block.wait_objects.size());
      }
      wait_objects_.push_back(&block.wait_objects[event.wait_object.index]);
      return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("an event is of the unknown kind ", static_cast<int>(event.kind)));
}

uint32_t EventColumns::Thread(int32_t tid) {
  return tid == current_tid_ ? ThreadDictionary::kCurrent : threads_.Slot(tid);
}

void EventColumns::AddSwitch(const SwitchEvent& event) {
  switches_.prev.Add(Thread(event.prev_tid));
  switches_.next.Add(Thread(event.next_tid));
  switches_.state.Add(uint64_t{event.prev_state} << 1 | (event.preempted ? 1 : 0));
  current_tid_ = event.next_tid;
}

void EventColumns::AddWake(const WakeEvent& event) {
  wakes_.wakee.Add(Thread(event.wakee_tid));
  wakes_.waker.Add(Thread(event.waker_tid));
  wakes_.cause.Add(CauseIndex(event));
}

uint32_t EventColumns::CauseIndex(const WakeEvent& event) {
  const uint64_t source = uint64_t{event.vector} << 4 | (event.waker_is_cause ? 8 : 0) |
                          static_cast<uint64_t>(event.context);
  const std::pair<uint64_t, uint64_t> cause(source << 8 | static_cast<uint64_t>(event.device_kind),
                                            uint64_t{event.device} << 32 | event.flow_id);
  if (!wakes_.index_of_cause.empty() && cause == wakes_.last_cause) return wakes_.last_index;
  const auto [entry, is_new] =
      wakes_.index_of_cause.try_emplace(cause, wakes_.index_of_cause.size());
  if (is_new) {
    wakes_.cause_source.Add(source);
    wakes_.cause_device_kind.Add(static_cast<uint64_t>(event.device_kind));
    wakes_.cause_device.Add(event.device);
    wakes_.cause_flow_id.Add(event.flow_id);
  }
  wakes_.last_cause = cause;
  wakes_.last_index = entry->second;
  return entry->second;
}

void EventColumns::AddBlockRequest(const BlockEvent& event, BlockRequests& columns) {
  columns.device.Add(event.device);
  columns.sector_delta.Add(ZigZagDifference(event.sector, columns.sector_before));
  columns.sector_before = event.sector;
  columns.bytes.Add(event.bytes);
  columns.operation.Add(static_cast<uint64_t>(event.operation));
  columns.thread.Add(Thread(event.tid));
  columns.service_ns.Add(event.service_ns);
}

void EventColumns::AddPacket(const NetEvent& event, Packets& columns) {
  columns.flow_id.Add(event.flow_id);
  columns.interface.Add(event.interface);
  columns.bytes.Add(event.bytes);
  columns.sequence.Add(event.sequence);
  columns.thread.Add(Thread(event.tid));
  columns.in_softirq.Add(event.in_softirq ? 1 : 0);
}

void EventColumns::AddTask(const TaskRecord& task) {
  const TaskRecord& before = task_before_;
  tasks_.change.Add(static_cast<uint64_t>(task.change) << 2 | (task.recorder ? 2 : 0) |
                    (task.kernel_thread ? 1 : 0));
  tasks_.tid_delta.Add(ZigZag(int64_t{task.tid} - before.tid));
  tasks_.tgid_distance.Add(ZigZag(int64_t{task.tid} - task.tgid));
  tasks_.parent_tid_delta.Add(ZigZag(int64_t{task.parent_tid} - before.parent_tid));
  tasks_.namespaced_distance.Add(ZigZag(int64_t{task.tid} - task.namespaced_tid));
  tasks_.state.Add(task.state);
  tasks_.switches.Add(task.switches ? *task.switches + 1 : 0);
  tasks_.tells_switches |= task.switches.has_value();
  tasks_.start_time_delta_ns.Add(ZigZagDifference(task.start_time_ns, before.start_time_ns));
  tasks_.cgroup_delta.Add(ZigZagDifference(task.cgroup_id, before.cgroup_id));
  tasks_.comm.Add(tasks_.comms.Index(task.comm));
  task_before_ = task;
}

absl::Status EventColumns::AddStack(const EventBlock& block, const TraceEvent& event) {
  if (event.stack.index >= block.stacks.size())
    return RefersPastTable(event, event.stack.index, block.stacks.size());
  const StackRecord& stack = block.stacks[event.stack.index];
  if (stack.kernel.size() + stack.user.size() > kMaxStackFrames)
    return absl::InvalidArgumentError(
        absl::StrCat("a stack has more than ", kMaxStackFrames, " frames"));
  stacks_.push_back(&stack);
  return absl::OkStatus();
}

void EventColumns::MoveThreads(ColumnBuilder& column, pb::Column& out) {
  threads_.SlotsToCodes(column.values());
  column.MoveTo(out);
}

void EventColumns::MoveColumns(pb::EventBlock& message) {
  time_delta_ns_.MoveTo(*message.mutable_time_delta_ns());
  threads_.AssignCodes(*message.mutable_tid_delta());
  names_.MoveTo(*message.mutable_names());
  MoveSwitchesAndWakes(message);
  irq_runs_.duration_ns.MoveTo(*message.mutable_irq_runs()->mutable_duration_ns());
  irq_runs_.source.MoveTo(*message.mutable_irq_runs()->mutable_source());
  MoveBlockRequests(block_issues_, *message.mutable_block_issues());
  MoveBlockRequests(block_completes_, *message.mutable_block_completes());
  MovePackets(net_sends_, *message.mutable_net_sends());
  MovePackets(net_receives_, *message.mutable_net_receives());
  pb::ProbeColumns& probes = *message.mutable_probes();
  MoveThreads(probes_.thread, *probes.mutable_thread());
  probes_.kind.MoveTo(*probes.mutable_kind());
  probes_.name.MoveTo(*probes.mutable_name());
  probes_.value.MoveTo(*probes.mutable_value());
  losses_.duration_ns.MoveTo(*message.mutable_losses()->mutable_duration_ns());
  losses_.count.MoveTo(*message.mutable_losses()->mutable_count());
  losses_.kind.MoveTo(*message.mutable_losses()->mutable_kind());
  MoveTasks(*message.mutable_tasks());
  FillFlowColumns(flows_, *message.mutable_flows());
  MoveStackSamples(*message.mutable_stack_samples());
  FillStackColumns(stacks_, *message.mutable_stacks());
  FillWaitObjectColumns(wait_objects_, *message.mutable_wait_objects());
}

void EventColumns::MoveSwitchesAndWakes(pb::EventBlock& message) {
  pb::SwitchColumns& switches = *message.mutable_switches();
  MoveThreads(switches_.prev, *switches.mutable_prev());
  MoveThreads(switches_.next, *switches.mutable_next());
  switches_.state.MoveTo(*switches.mutable_state());
  pb::WakeColumns& wakes = *message.mutable_wakes();
  MoveThreads(wakes_.wakee, *wakes.mutable_wakee());
  MoveThreads(wakes_.waker, *wakes.mutable_waker());
  wakes_.cause.MoveTo(*wakes.mutable_cause());
  pb::WakeCauses& causes = *wakes.mutable_causes();
  causes.set_count(static_cast<uint32_t>(wakes_.index_of_cause.size()));
  wakes_.cause_source.MoveTo(*causes.mutable_source());
  wakes_.cause_device_kind.MoveTo(*causes.mutable_device_kind());
  wakes_.cause_device.MoveTo(*causes.mutable_device());
  wakes_.cause_flow_id.MoveTo(*causes.mutable_flow_id());
}

void EventColumns::MoveBlockRequests(BlockRequests& columns, pb::BlockColumns& out) {
  columns.device.MoveTo(*out.mutable_device());
  columns.sector_delta.MoveTo(*out.mutable_sector_delta());
  columns.bytes.MoveTo(*out.mutable_bytes());
  columns.operation.MoveTo(*out.mutable_operation());
  MoveThreads(columns.thread, *out.mutable_thread());
  columns.service_ns.MoveTo(*out.mutable_service_ns());
}

void EventColumns::MovePackets(Packets& columns, pb::NetColumns& out) {
  columns.flow_id.MoveTo(*out.mutable_flow_id());
  columns.interface.MoveTo(*out.mutable_interface());
  columns.bytes.MoveTo(*out.mutable_bytes());
  columns.sequence.MoveTo(*out.mutable_sequence());
  MoveThreads(columns.thread, *out.mutable_thread());
  columns.in_softirq.MoveTo(*out.mutable_in_softirq());
}

void EventColumns::MoveTasks(pb::TaskColumns& out) {
  tasks_.change.MoveTo(*out.mutable_change());
  tasks_.tid_delta.MoveTo(*out.mutable_tid_delta());
  tasks_.tgid_distance.MoveTo(*out.mutable_tgid_distance());
  tasks_.parent_tid_delta.MoveTo(*out.mutable_parent_tid_delta());
  tasks_.namespaced_distance.MoveTo(*out.mutable_namespaced_distance());
  tasks_.state.MoveTo(*out.mutable_state());
  tasks_.start_time_delta_ns.MoveTo(*out.mutable_start_time_delta_ns());
  tasks_.cgroup_delta.MoveTo(*out.mutable_cgroup_delta());
  tasks_.comm.MoveTo(*out.mutable_comm());
  tasks_.comms.MoveTo(*out.mutable_comms());
  pb::Column switches;
  tasks_.switches.MoveTo(switches);
  if (tasks_.tells_switches) *out.mutable_switches() = std::move(switches);
  tasks_.tells_switches = false;
}

void EventColumns::MoveStackSamples(pb::StackSampleColumns& out) {
  stack_samples_.stack_id.MoveTo(*out.mutable_stack_id());
  MoveThreads(stack_samples_.thread, *out.mutable_thread());
  stack_samples_.moment.MoveTo(*out.mutable_moment());
  stack_samples_.object_id.MoveTo(*out.mutable_object_id());
}

void FillStackColumns(std::span<const StackRecord* const> stacks, pb::StackColumns& out) {
  ColumnBuilder stack_id_delta, tgid_delta, kernel_frames, user_frames, address_delta;
  StackRecord before;
  uint64_t address_before = 0;
  for (const StackRecord* stack : stacks) {
    stack_id_delta.Add(ZigZagDifference(stack->stack_id, before.stack_id));
    tgid_delta.Add(ZigZag(int64_t{stack->tgid} - before.tgid));
    before.stack_id = stack->stack_id;
    before.tgid = stack->tgid;
    kernel_frames.Add(stack->kernel.size());
    user_frames.Add(stack->user.size());
    for (const auto* addresses : {&stack->kernel, &stack->user})
      for (const uint64_t address : *addresses) {
        address_delta.Add(ZigZagDifference(address, address_before));
        address_before = address;
      }
  }
  stack_id_delta.MoveTo(*out.mutable_stack_id_delta());
  tgid_delta.MoveTo(*out.mutable_tgid_delta());
  kernel_frames.MoveTo(*out.mutable_kernel_frames());
  user_frames.MoveTo(*out.mutable_user_frames());
  address_delta.MoveTo(*out.mutable_address_delta());
}

void FillWaitObjectColumns(std::span<const WaitObjectRecord* const> objects,
                           pb::WaitObjectColumns& out) {
  ColumnBuilder object_id_delta, kind, call, tgid_delta, descriptor, value_delta, device, path;
  ColumnBuilder family, protocol, local_port, peer_port, peer_tgid;
  NameTableBuilder paths;
  WaitObjectRecord before;
  for (const WaitObjectRecord* object : objects) {
    object_id_delta.Add(ZigZagDifference(object->object_id, before.object_id));
    kind.Add(static_cast<uint64_t>(object->kind));
    call.Add(static_cast<uint64_t>(object->call) << 2 | (object->listening ? 2 : 0) |
             (object->shared ? 1 : 0));
    tgid_delta.Add(ZigZag(int64_t{object->tgid} - before.tgid));
    descriptor.Add(static_cast<uint32_t>(object->descriptor));
    value_delta.Add(ZigZagDifference(object->value, before.value));
    device.Add(object->device);
    path.Add(paths.Index(object->path));
    before.object_id = object->object_id;
    before.tgid = object->tgid;
    before.value = object->value;
    if (object->kind != WaitObjectKind::kSocket) continue;
    family.Add(object->family);
    protocol.Add(object->protocol);
    local_port.Add(object->local_port);
    peer_port.Add(object->peer_port);
    peer_tgid.Add(ZigZag(object->peer_tgid));
    out.mutable_local()->append(object->local.begin(), object->local.end());
    out.mutable_peer()->append(object->peer.begin(), object->peer.end());
  }
  object_id_delta.MoveTo(*out.mutable_object_id_delta());
  kind.MoveTo(*out.mutable_kind());
  call.MoveTo(*out.mutable_call());
  tgid_delta.MoveTo(*out.mutable_tgid_delta());
  descriptor.MoveTo(*out.mutable_file_descriptor());
  value_delta.MoveTo(*out.mutable_value_delta());
  device.MoveTo(*out.mutable_device());
  path.MoveTo(*out.mutable_path());
  paths.MoveTo(*out.mutable_paths());
  family.MoveTo(*out.mutable_family());
  protocol.MoveTo(*out.mutable_protocol());
  local_port.MoveTo(*out.mutable_local_port());
  peer_port.MoveTo(*out.mutable_peer_port());
  peer_tgid.MoveTo(*out.mutable_peer_tgid());
}

void FillFlowColumns(std::span<const FlowRecord* const> flows, pb::FlowColumns& out) {
  ColumnBuilder flow_id_delta, family, protocol, source_port, destination_port;
  int64_t flow_id_before = 0;
  for (const FlowRecord* flow : flows) {
    flow_id_delta.Add(ZigZag(flow->flow_id - flow_id_before));
    flow_id_before = flow->flow_id;
    family.Add(static_cast<uint64_t>(flow->family));
    protocol.Add(flow->protocol);
    source_port.Add(flow->source_port);
    destination_port.Add(flow->destination_port);
    out.mutable_source()->append(flow->source.begin(), flow->source.end());
    out.mutable_destination()->append(flow->destination.begin(), flow->destination.end());
  }
  flow_id_delta.MoveTo(*out.mutable_flow_id_delta());
  family.MoveTo(*out.mutable_family());
  protocol.MoveTo(*out.mutable_protocol());
  source_port.MoveTo(*out.mutable_source_port());
  destination_port.MoveTo(*out.mutable_destination_port());
}

}  // namespace gordian
