#include "cli/event_json.h"

#include "cli/event_text.h"
#include "fmt/format.h"

namespace gordian {
namespace {

class Fields {
 public:
  Fields(const SessionNames& names, JsonWriter& json) : names_(names), json_(json) {}

  void Switch(const SwitchEvent& event) {
    Thread("prev_tid", "prev_comm", event.prev_tid);
    json_.String("prev_state", SwitchStateName(event));
    json_.Number("prev_state_bits", event.prev_state);
    json_.Bool("preempted", event.preempted);
    Thread("next_tid", "next_comm", event.next_tid);
  }

  void Wake(const WakeEvent& event) {
    Thread("wakee_tid", "wakee_comm", event.wakee_tid);
    Thread("waker_tid", "waker_comm", event.waker_tid);
    json_.Bool("waker_is_cause", event.waker_is_cause);
    json_.String("context", WakeContextName(event.context));
    if (event.context == WakeContext::kSoftirq || event.context == WakeContext::kHardirq) {
      json_.Number("vector", event.vector);
    }
    if (event.device_kind == DeviceKind::kDisk) json_.String("disk", names_.Disk(event.device));
    if (event.device_kind == DeviceKind::kNic) {
      json_.String("interface", names_.Interface(event.device));
    }
    if (event.flow_id != 0) json_.Number("flow_id", event.flow_id);
  }

  void IrqRun(const IrqRunEvent& event) {
    json_.String("source", event.hard ? "hardirq" : "softirq");
    json_.Number("vector", event.vector);
    const std::string_view name = event.hard ? names_.Irq(event.vector) : SoftirqName(event.vector);
    if (!name.empty()) json_.String("name", name);
    json_.Number("duration_ns", event.duration_ns);
    json_.Bool("woke", event.woke);
  }

  void Block(const BlockEvent& event, bool complete) {
    json_.String("disk", names_.Disk(event.device));
    json_.String("operation", BlockOperationName(event.operation));
    json_.Number("sector", event.sector);
    json_.Number("bytes", event.bytes);
    Thread("tid", "comm", event.tid);
    if (complete) json_.Number("service_ns", event.service_ns);
  }

  void Net(const NetEvent& event) {
    if (event.interface != 0) json_.String("interface", names_.Interface(event.interface));
    json_.Number("flow_id", event.flow_id);
    json_.Number("bytes", event.bytes);
    json_.Number("sequence", event.sequence);
    Thread("tid", "comm", event.tid);
    json_.Bool("in_softirq", event.in_softirq);
  }

  void Task(const TaskRecord& task) {
    json_.String("change", TaskChangeName(task.change));
    json_.Signed("tid", task.tid);
    json_.String("comm", task.comm);
    json_.Signed("tgid", task.tgid);
    json_.Signed("parent_tid", task.parent_tid);
    json_.Signed("namespaced_tid", task.namespaced_tid);
    json_.Number("start_time_ns", task.start_time_ns);
    json_.Number("cgroup_id", task.cgroup_id);
    json_.Bool("kernel_thread", task.kernel_thread);
    json_.Bool("recorder", task.recorder);
    if (task.change == TaskChange::kAlive) json_.Number("state_bits", task.state);
    if (task.switches) json_.Number("switches", *task.switches);
  }

  void Probe(const ProbeEvent& event, const EventBlock& block) {
    json_.String("probe", ProbeKindName(event.kind));
    Thread("tid", "comm", event.tid);
    json_.String("name", event.name < block.names.size() ? block.names[event.name] : "");
    if (HasKey(event)) {
      json_.String("key", event.value < block.names.size() ? block.names[event.value] : "");
    } else if (event.kind == ProbeKind::kCount) {
      json_.Signed("value", static_cast<int64_t>(event.value));
    } else {
      json_.Number("value", event.value);
    }
  }

  void Loss(const LossEvent& event) {
    json_.String("of", EventKindName(event.kind));
    json_.Number("count", event.count);
    json_.Number("duration_ns", event.duration_ns);
  }

  void Flow(const FlowRecord& flow) {
    json_.Number("flow_id", flow.flow_id);
    json_.String("protocol", ProtocolName(flow.protocol));
    json_.String("source", FlowAddress(flow.family, flow.source, flow.source_port));
    json_.String("destination", FlowAddress(flow.family, flow.destination, flow.destination_port));
  }

  void StackSample(const StackSampleEvent& event) {
    Thread("tid", "comm", event.tid);
    json_.String("moment", StackMomentName(event.moment));
    json_.Number("stack_id", event.stack_id);
    json_.Number("weight_log2", event.weight_log2);
    json_.Number("object_id", event.object_id);
  }

  void Stack(const StackRecord& stack) {
    json_.Number("stack_id", stack.stack_id);
    json_.Signed("tgid", stack.tgid);
    Addresses("kernel", stack.kernel);
    Addresses("user", stack.user);
  }

  void WaitObject(const WaitObjectRecord& object) {
    json_.Number("object_id", object.object_id);
    json_.String("object", WaitObjectKindName(object.kind));
    json_.String("call", WaitCallName(object.call));
    json_.String("text", WaitObjectText(object));
    json_.Signed("tgid", object.tgid);
    json_.Signed("descriptor", object.descriptor);
    json_.Number("value", object.value);
    json_.Number("device", object.device);
    json_.String("path", object.path);
    json_.Bool("shared", object.shared);
    if (object.kind != WaitObjectKind::kSocket) return;
    json_.Bool("listening", object.listening);
    json_.Number("family", object.family);
    json_.Number("protocol", object.protocol);
    json_.String("local", SocketAddressText(object.family, object.local, object.local_port));
    json_.String("peer", SocketAddressText(object.family, object.peer, object.peer_port));
    json_.Signed("peer_tgid", object.peer_tgid);
  }

 private:
  void Addresses(std::string_view key, const std::vector<uint64_t>& addresses) {
    json_.Key(key).BeginArray();
    for (const uint64_t address : addresses) json_.Number(address);
    json_.EndArray();
  }

  void Thread(std::string_view tid_key, std::string_view comm_key, int32_t tid) {
    json_.Signed(tid_key, tid);
    json_.String(comm_key, names_.Comm(tid));
  }

  const SessionNames& names_;
  JsonWriter& json_;
};

}  // namespace

void AppendEventJson(const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                     uint64_t start_time_ns, JsonWriter& json, std::string& out) {
  json.Reset();
  json.BeginObject();
  json.Number("time_ns", event.time_ns);
  json.Signed("since_start_ns", static_cast<int64_t>(event.time_ns - start_time_ns));
  json.Signed("cpu", event.cpu == kNoCpu ? -1 : int64_t{event.cpu});
  json.String("kind", EventKindName(event.kind));
  Fields fields(names, json);
  switch (event.kind) {
    case EventKind::kSwitch:
      fields.Switch(event.sched_switch);
      break;
    case EventKind::kWake:
      fields.Wake(event.wake);
      break;
    case EventKind::kIrqRun:
      fields.IrqRun(event.irq_run);
      break;
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete:
      fields.Block(event.block, event.kind == EventKind::kBlockComplete);
      break;
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      fields.Net(event.net);
      break;
    case EventKind::kTask:
      fields.Task(block.tasks[event.task.index]);
      break;
    case EventKind::kProbe:
      fields.Probe(event.probe, block);
      break;
    case EventKind::kLoss:
      fields.Loss(event.loss);
      break;
    case EventKind::kFlow:
      fields.Flow(block.flows[event.flow.index]);
      break;
    case EventKind::kStackSample:
      fields.StackSample(event.stack_sample);
      break;
    case EventKind::kStack:
      fields.Stack(block.stacks[event.stack.index]);
      break;
    case EventKind::kWaitObject:
      fields.WaitObject(block.wait_objects[event.wait_object.index]);
      break;
  }
  json.EndObject();
  out += json.text();
  out += '\n';
}

}  // namespace gordian
