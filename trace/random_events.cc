#include "trace/random_events.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gordian {
namespace {

template <typename T>
T Any() {
  // Small values, which the codec makes short, as well as any.
  return *rc::gen::oneOf(
      rc::gen::arbitrary<T>(), rc::gen::inRange<T>(0, 100),
      rc::gen::elementOf(std::vector<T>{std::numeric_limits<T>::min(),
                                        std::numeric_limits<T>::max(), 255, 256, 0}));
}

template <typename Enum>
Enum AnyOf(int first, int last) {
  return static_cast<Enum>(*rc::gen::inRange(first, last + 1));
}

bool AnyBool() { return *rc::gen::arbitrary<bool>(); }

int32_t AnyTid() {
  return *rc::gen::weightedOneOf<int32_t>(
      {{8, rc::gen::inRange<int32_t>(0, 600)}, {1, rc::gen::arbitrary<int32_t>()}});
}

TaskRecord AnyTask() {
  return {.change = AnyOf<TaskChange>(0, 4),
          .kernel_thread = AnyBool(),
          .recorder = AnyBool(),
          .tid = AnyTid(),
          .tgid = AnyTid(),
          .parent_tid = AnyTid(),
          .namespaced_tid = AnyTid(),
          .state = Any<uint32_t>(),
          .switches = AnyBool() ? std::optional(Any<uint64_t>() >> 1) : std::nullopt,
          .start_time_ns = Any<uint64_t>(),
          .cgroup_id = Any<uint64_t>(),
          .comm = *rc::gen::arbitrary<std::string>()};
}

FlowRecord AnyFlow() {
  FlowRecord flow{
      .flow_id = Any<uint32_t>(),
      .family = *rc::gen::element(FlowFamily::kUnknown, FlowFamily::kIpv4, FlowFamily::kIpv6),
      .protocol = *rc::gen::arbitrary<uint8_t>(),
      .source_port = *rc::gen::arbitrary<uint16_t>(),
      .destination_port = *rc::gen::arbitrary<uint16_t>()};
  for (auto* address : {&flow.source, &flow.destination}) {
    for (uint8_t& byte : *address) byte = *rc::gen::arbitrary<uint8_t>();
  }
  return flow;
}

StackRecord AnyStack() {
  StackRecord stack{.stack_id = Any<uint32_t>(), .tgid = AnyTid()};
  const size_t kernel = *rc::gen::inRange<size_t>(0, 8);
  const size_t user = *rc::gen::inRange<size_t>(0, 8);
  for (size_t i = 0; i < kernel; ++i) stack.kernel.push_back(Any<uint64_t>());
  for (size_t i = 0; i < user; ++i) stack.user.push_back(Any<uint64_t>());
  return stack;
}

WaitObjectRecord AnyWaitObject() {
  WaitObjectRecord object{.object_id = Any<uint32_t>(),
                          .kind = AnyOf<WaitObjectKind>(0, kMaxWaitObjectKind),
                          .call = AnyOf<WaitCall>(0, static_cast<int>(WaitCallCount()) - 1),
                          .shared = AnyBool(),
                          .listening = AnyBool(),
                          .tgid = AnyTid(),
                          .descriptor = AnyTid(),
                          .value = Any<uint64_t>(),
                          .device = Any<uint32_t>(),
                          .path = *rc::gen::arbitrary<std::string>()};
  if (object.kind != WaitObjectKind::kSocket) return object;
  object.peer_tgid = AnyTid();
  for (uint16_t* number : {&object.family, &object.protocol, &object.local_port, &object.peer_port})
    *number = Any<uint16_t>();
  for (auto* address : {&object.local, &object.peer})
    for (uint8_t& byte : *address) byte = *rc::gen::arbitrary<uint8_t>();
  return object;
}

WakeEvent AnyWake() {
  return {.wakee_tid = AnyTid(),
          .waker_tid = AnyTid(),
          .context = AnyOf<WakeContext>(0, 4),
          .waker_is_cause = AnyBool(),
          .device_kind = AnyOf<DeviceKind>(0, 2),
          .vector = *rc::gen::arbitrary<uint16_t>(),
          .device = Any<uint32_t>(),
          .flow_id = Any<uint32_t>()};
}

BlockEvent AnyBlockRequest() {
  return {.sector = Any<uint64_t>(),
          .service_ns = Any<uint64_t>(),
          .device = Any<uint32_t>(),
          .bytes = Any<uint32_t>(),
          .tid = AnyTid(),
          .operation = AnyOf<BlockOperation>(0, 4)};
}

NetEvent AnyPacket() {
  return {.flow_id = Any<uint32_t>(),
          .interface = Any<uint32_t>(),
          .bytes = Any<uint32_t>(),
          .sequence = Any<uint32_t>(),
          .tid = AnyTid(),
          .in_softirq = AnyBool()};
}

void AddAny(EventKind kind, uint64_t time_ns, EventBlock& block) {
  TraceEvent event{.time_ns = time_ns, .kind = kind, .cpu = block.cpu};
  switch (kind) {
    case EventKind::kSwitch:
      event.sched_switch = {.prev_tid = AnyTid(),
                            .next_tid = AnyTid(),
                            .prev_state = Any<uint32_t>(),
                            .preempted = AnyBool()};
      break;
    case EventKind::kWake:
      event.wake = AnyWake();
      break;
    case EventKind::kIrqRun:
      event.irq_run = {.duration_ns = Any<uint64_t>(),
                       .vector = *rc::gen::arbitrary<uint16_t>(),
                       .hard = AnyBool(),
                       .woke = AnyBool()};
      break;
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete:
      event.block = AnyBlockRequest();
      break;
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      event.net = AnyPacket();
      break;
    case EventKind::kTask:
      block.AddTask(time_ns, AnyTask());
      return;
    case EventKind::kProbe:
      event.probe = {.tid = AnyTid(),
                     .kind = AnyOf<ProbeKind>(1, 9),
                     .name = block.InternName(*rc::gen::arbitrary<std::string>()),
                     .value = Any<uint64_t>()};
      if (HasKey(event.probe)) {
        event.probe.value = block.InternName(*rc::gen::arbitrary<std::string>());
      }
      break;
    case EventKind::kLoss:
      event.loss = {.duration_ns = Any<uint64_t>(),
                    .count = Any<uint64_t>(),
                    .kind = AnyOf<EventKind>(1, kEventKinds - 1)};
      break;
    case EventKind::kFlow:
      block.AddFlow(time_ns, AnyFlow());
      return;
    case EventKind::kStackSample:
      event.stack_sample = {.stack_id = Any<uint32_t>(),
                            .tid = AnyTid(),
                            .moment = AnyOf<StackMoment>(1, 3),
                            .weight_log2 = static_cast<uint8_t>(*rc::gen::inRange(0, 64)),
                            .object_id = Any<uint32_t>()};
      break;
    case EventKind::kStack:
      block.AddStack(time_ns, AnyStack());
      return;
    case EventKind::kWaitObject:
      block.AddWaitObject(time_ns, AnyWaitObject());
      return;
  }
  block.events.push_back(event);
}

std::string DescribeTask(const TaskRecord& task) {
  return absl::StrJoin(
      std::make_tuple(static_cast<int>(task.change), task.kernel_thread, task.recorder, task.tid,
                      task.tgid, task.parent_tid, task.namespaced_tid, task.state,
                      task.switches.value_or(~0ull), task.start_time_ns, task.cgroup_id, task.comm),
      " ");
}

std::string DescribeFlow(const FlowRecord& flow) {
  return absl::StrCat(flow.flow_id, " ", static_cast<int>(flow.family), " ",
                      static_cast<int>(flow.protocol), " ", flow.source_port, " ",
                      flow.destination_port, " ",
                      std::string(flow.source.begin(), flow.source.end()), " ",
                      std::string(flow.destination.begin(), flow.destination.end()));
}

std::string DescribeWaitObject(const WaitObjectRecord& object) {
  return absl::StrCat(
      absl::StrJoin(std::make_tuple(object.object_id, static_cast<int>(object.kind),
                                    static_cast<int>(object.call), object.shared, object.listening,
                                    object.tgid, object.descriptor, object.value, object.device,
                                    object.peer_tgid, object.family, object.protocol,
                                    object.local_port, object.peer_port),
                    " "),
      " ", std::string(object.local.begin(), object.local.end()),
      std::string(object.peer.begin(), object.peer.end()), object.path);
}

std::string DescribeContents(const TraceEvent& event, const EventBlock& block) {
  switch (event.kind) {
    case EventKind::kSwitch: {
      const SwitchEvent& e = event.sched_switch;
      return absl::StrJoin(std::make_tuple(e.prev_tid, e.next_tid, e.prev_state, e.preempted), " ");
    }
    case EventKind::kWake: {
      const WakeEvent& e = event.wake;
      return absl::StrJoin(
          std::make_tuple(e.wakee_tid, e.waker_tid, static_cast<int>(e.context), e.waker_is_cause,
                          static_cast<int>(e.device_kind), e.vector, e.device, e.flow_id),
          " ");
    }
    case EventKind::kIrqRun: {
      const IrqRunEvent& e = event.irq_run;
      return absl::StrJoin(std::make_tuple(e.duration_ns, e.vector, e.hard, e.woke), " ");
    }
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete: {
      const BlockEvent& e = event.block;
      return absl::StrJoin(std::make_tuple(e.sector, e.service_ns, e.device, e.bytes, e.tid,
                                           static_cast<int>(e.operation)),
                           " ");
    }
    case EventKind::kNetSend:
    case EventKind::kNetReceive: {
      const NetEvent& e = event.net;
      return absl::StrJoin(
          std::make_tuple(e.flow_id, e.interface, e.bytes, e.sequence, e.tid, e.in_softirq), " ");
    }
    case EventKind::kTask:
      return DescribeTask(block.tasks.at(event.task.index));
    case EventKind::kProbe: {
      const ProbeEvent& e = event.probe;
      const std::string name = e.name == 0 ? "" : block.names.at(e.name);
      if (HasKey(e)) {
        const std::string key = e.value == 0 ? "" : block.names.at(e.value);
        return absl::StrJoin(std::make_tuple(e.tid, static_cast<int>(e.kind), name, key), " ");
      }
      return absl::StrJoin(std::make_tuple(e.tid, static_cast<int>(e.kind), name, e.value), " ");
    }
    case EventKind::kLoss: {
      const LossEvent& e = event.loss;
      return absl::StrJoin(std::make_tuple(e.duration_ns, e.count, static_cast<int>(e.kind)), " ");
    }
    case EventKind::kFlow:
      return DescribeFlow(block.flows.at(event.flow.index));
    case EventKind::kStackSample: {
      const StackSampleEvent& e = event.stack_sample;
      return absl::StrJoin(std::make_tuple(e.stack_id, e.tid, static_cast<int>(e.moment),
                                           int{e.weight_log2}, e.object_id),
                           " ");
    }
    case EventKind::kStack: {
      const StackRecord& stack = block.stacks.at(event.stack.index);
      return absl::StrCat(stack.stack_id, " ", stack.tgid, " k ", absl::StrJoin(stack.kernel, " "),
                          " u ", absl::StrJoin(stack.user, " "));
    }
    case EventKind::kWaitObject:
      return DescribeWaitObject(block.wait_objects.at(event.wait_object.index));
  }
  return "of an unknown kind";
}

}  // namespace

rc::Gen<EventBlock> AnyEventBlock() {
  return rc::gen::exec([] {
    EventBlock block;
    block.cpu = *rc::gen::arbitrary<uint16_t>();
    uint64_t time_ns = Any<uint64_t>();
    const auto kinds =
        *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, static_cast<int>(kEventKinds)));
    for (const int kind : kinds) {
      // Mostly forwards by little, sometimes anywhere.
      time_ns = *rc::gen::weightedOneOf<uint64_t>(
          {{6, rc::gen::map(rc::gen::inRange<uint64_t>(0, 5000),
                            [time_ns](uint64_t step) { return time_ns + step; })},
           {2, rc::gen::map(rc::gen::inRange<uint64_t>(0, 2000),
                            [time_ns](uint64_t step) { return time_ns - step; })},
           {1, rc::gen::arbitrary<uint64_t>()}});
      AddAny(static_cast<EventKind>(kind), time_ns, block);
    }
    return block;
  });
}

std::vector<std::string> Describe(const EventBlock& block) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : block.events) {
    lines.push_back(absl::StrCat(block.cpu, " ", event.cpu, " ", event.time_ns, " ",
                                 EventKindName(event.kind), " ", DescribeContents(event, block)));
  }
  return lines;
}

}  // namespace gordian
