#include "tests/support/session_contents.h"

#include <iterator>

#include "fmt/format.h"
#include "trace/session_reader.h"

namespace gordian::testing {
namespace {

// Appends " name=value" unless the value is zero.
class FieldList {
 public:
  FieldList& Number(const char* name, int64_t value) {
    if (value != 0) fmt::format_to(std::back_inserter(text_), " {}={}", name, value);
    return *this;
  }
  FieldList& Hex(const char* name, uint64_t value) {
    if (value != 0) fmt::format_to(std::back_inserter(text_), " {}={:#x}", name, value);
    return *this;
  }
  FieldList& Word(const char* word, bool holds) {
    if (holds) fmt::format_to(std::back_inserter(text_), " {}", word);
    return *this;
  }
  FieldList& Text(const char* name, const std::string& value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text_), " {}=\"{}\"", name, value);
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string SwitchText(const SwitchEvent& event) {
  return FieldList()
      .Number("prev", event.prev_tid)
      .Number("next", event.next_tid)
      .Hex("state", event.prev_state)
      .Word("preempted", event.preempted)
      .Take();
}

std::string WakeText(const WakeEvent& event) {
  static constexpr const char* kContexts[] = {"thread", "softirq", "hardirq", "timer", "nmi"};
  const auto context = static_cast<size_t>(event.context);
  return FieldList()
      .Number("wakee", event.wakee_tid)
      .Number("waker", event.waker_tid)
      .Word(context < std::size(kContexts) ? kContexts[context] : "unknown-context", true)
      .Word("cause", event.waker_is_cause)
      .Number("vector", event.vector)
      .Word("disk", event.device_kind == DeviceKind::kDisk)
      .Word("nic", event.device_kind == DeviceKind::kNic)
      .Hex("device", event.device)
      .Number("flow", event.flow_id)
      .Take();
}

std::string IrqRunText(const IrqRunEvent& event) {
  return FieldList()
      .Word(event.hard ? "hard" : "soft", true)
      .Number("vector", event.vector)
      .Number("duration", static_cast<int64_t>(event.duration_ns))
      .Word("woke", event.woke)
      .Take();
}

std::string BlockText(const BlockEvent& event) {
  return FieldList()
      .Hex("device", event.device)
      .Number("sector", static_cast<int64_t>(event.sector))
      .Number("bytes", event.bytes)
      .Number("operation", static_cast<int>(event.operation))
      .Number("tid", event.tid)
      .Number("service", static_cast<int64_t>(event.service_ns))
      .Take();
}

std::string NetText(const NetEvent& event) {
  return FieldList()
      .Number("flow", event.flow_id)
      .Number("interface", event.interface)
      .Number("bytes", event.bytes)
      .Number("sequence", event.sequence)
      .Number("tid", event.tid)
      .Word("in_softirq", event.in_softirq)
      .Take();
}

std::string TaskText(const TaskRecord& task) {
  static constexpr const char* kChanges[] = {"alive", "new", "exec", "rename", "exit"};
  const auto change = static_cast<size_t>(task.change);
  return FieldList()
      .Word(change < std::size(kChanges) ? kChanges[change] : "unknown-change", true)
      .Number("tid", task.tid)
      .Number("tgid", task.tgid)
      .Number("parent", task.parent_tid)
      .Number("namespaced", task.namespaced_tid == task.tid ? 0 : task.namespaced_tid)
      .Hex("state", task.state)
      .Number("switches", static_cast<int64_t>(task.switches.value_or(0)))
      .Number("start", static_cast<int64_t>(task.start_time_ns))
      .Number("cgroup", static_cast<int64_t>(task.cgroup_id))
      .Text("comm", task.comm)
      .Word("kernel", task.kernel_thread)
      .Word("recorder", task.recorder)
      .Take();
}

std::string FlowText(const FlowRecord& flow) {
  std::string addresses;
  for (const auto* address : {&flow.source, &flow.destination}) {
    addresses += ' ';
    for (const uint8_t byte : *address) addresses += fmt::format("{:02x}", byte);
  }
  return FieldList()
             .Number("flow", flow.flow_id)
             .Number("family", static_cast<int>(flow.family))
             .Number("protocol", flow.protocol)
             .Number("source_port", flow.source_port)
             .Number("destination_port", flow.destination_port)
             .Take() +
         addresses;
}

std::string ProbeText(const ProbeEvent& event, const EventBlock& block) {
  const bool has_name = event.name < block.names.size();
  if (HasKey(event)) {
    return FieldList()
        .Number("kind", static_cast<int>(event.kind))
        .Number("tid", event.tid)
        .Text("name", has_name ? block.names[event.name] : "")
        .Text("key", event.value < block.names.size() ? block.names[event.value] : "out of range")
        .Take();
  }
  return FieldList()
      .Number("kind", static_cast<int>(event.kind))
      .Number("tid", event.tid)
      .Text("name", has_name          ? block.names[event.name]
                    : event.name == 0 ? ""
                                      : "out of range")
      .Hex("value", event.value)
      .Take();
}

std::string Words(const TraceEvent& event, const EventBlock& block) {
  switch (event.kind) {
    case EventKind::kSwitch:
      return SwitchText(event.sched_switch);
    case EventKind::kWake:
      return WakeText(event.wake);
    case EventKind::kIrqRun:
      return IrqRunText(event.irq_run);
    case EventKind::kBlockIssue:
    case EventKind::kBlockComplete:
      return BlockText(event.block);
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      return NetText(event.net);
    case EventKind::kTask:
      return event.task.index < block.tasks.size() ? TaskText(block.tasks[event.task.index])
                                                   : " out of range";
    case EventKind::kFlow:
      return event.flow.index < block.flows.size() ? FlowText(block.flows[event.flow.index])
                                                   : " out of range";
    case EventKind::kStackSample:
      return FieldList()
          .Number("stack", event.stack_sample.stack_id)
          .Number("tid", event.stack_sample.tid)
          .Text("at", StackMomentName(event.stack_sample.moment))
          .Number("weight_log2", event.stack_sample.weight_log2)
          .Number("object", event.stack_sample.object_id)
          .Take();
    case EventKind::kStack:
      return event.stack.index < block.stacks.size()
                 ? FieldList().Number("stack", block.stacks[event.stack.index].stack_id).Take()
                 : " out of range";
    case EventKind::kWaitObject:
      return event.wait_object.index < block.wait_objects.size()
                 ? FieldList()
                       .Number("object", block.wait_objects[event.wait_object.index].object_id)
                       .Text("is", WaitObjectText(block.wait_objects[event.wait_object.index]))
                       .Take()
                 : " out of range";
    case EventKind::kProbe:
      return ProbeText(event.probe, block);
    case EventKind::kLoss:
      return FieldList()
          .Text("of", EventKindName(event.loss.kind))
          .Number("count", static_cast<int64_t>(event.loss.count))
          .Number("duration", static_cast<int64_t>(event.loss.duration_ns))
          .Take();
  }
  return " of an unknown kind";
}

}  // namespace

std::string EventText(const TraceEvent& event, const EventBlock& block) {
  const std::string cpu = event.cpu == kNoCpu ? "nocpu" : fmt::format("cpu{}", event.cpu);
  return fmt::format("{} {} {}{}", event.time_ns, cpu, EventKindName(event.kind),
                     Words(event, block));
}

std::vector<std::string> EventTexts(const EventBlock& block) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : block.events) lines.push_back(EventText(event, block));
  return lines;
}

std::vector<std::string> SessionTexts(const std::string& directory) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return {"error: " + std::string(session.status().message())};
  std::vector<std::string> lines;
  MergedEvents cursor(**session);
  while (cursor.Next()) lines.push_back(EventText(cursor.event(), cursor.block()));
  const ReadDamage& damage = (*session)->damage();
  if (damage.corrupt_blocks + damage.torn_tails + damage.unreadable_files > 0) {
    lines.insert(lines.begin(), "error: the session is damaged");
  }
  return lines;
}

}  // namespace gordian::testing
