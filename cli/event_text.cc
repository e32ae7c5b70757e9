// SPDX-License-Identifier: Apache-2.0
#include "cli/event_text.h"

#include <iterator>
#include <utility>

#include "base/time_units.h"
#include "cli/field_words.h"
#include "fmt/format.h"
#include "trace/event_schema.h"
#include "trace/event_words.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

class Line {
 public:
  Line(const SessionNames& names, std::string& out) : names_(names), out_(out) {}

  template <typename... Values>
  Line& Add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    return *this;
  }

  void Words(const TraceEvent& event, const EventBlock& block) {
    switch (event.kind) {
      case EventKind::kSwitch:
        return Switch(event.sched_switch);
      case EventKind::kWake:
        return Wake(event.wake);
      case EventKind::kIrqRun:
        return IrqRun(event.irq_run);
      case EventKind::kBlockIssue:
      case EventKind::kBlockComplete:
        return Block(event.block, event.kind == EventKind::kBlockComplete);
      case EventKind::kNetSend:
      case EventKind::kNetReceive:
        return Net(event.net);
      case EventKind::kTask:
        return Task(block.tasks[event.task.index]);
      case EventKind::kProbe:
        return Probe(event.probe, block);
      case EventKind::kLoss:
        return Loss(event.loss);
      case EventKind::kFlow:
        return Flow(block.flows[event.flow.index]);
      case EventKind::kStackSample:
        return StackSample(event.stack_sample);
      case EventKind::kStack:
        return Stack(block.stacks[event.stack.index]);
      case EventKind::kWaitObject:
        return WaitObject(block.wait_objects[event.wait_object.index]);
      case EventKind::kLocalMessage:
        return LocalMessage(event.local_message);
      default:
        return Fields(event, block);
    }
  }

 private:
  void Switch(const SwitchEvent& event) {
    Thread(event.prev_tid);
    if (event.prev_tid != 0) Add(" ({})", SwitchStateName(event));
    Add(" → ").Thread(event.next_tid);
  }

  void Wake(const WakeEvent& event) {
    Thread(event.wakee_tid).Add(" by ");
    if (event.context == WakeContext::kThread) {
      Thread(event.waker_tid);
    } else if (event.waker_is_cause) {
      Thread(event.waker_tid).Add(" in ");
    }
    if (event.context != WakeContext::kThread) WakeSource(event);
    if (event.device_kind == DeviceKind::kDisk) Add(" of {}", names_.Disk(event.device));
    if (event.device_kind == DeviceKind::kNic) Add(" of {}", names_.Interface(event.device));
    if (event.flow_id != 0) Add(", flow {}", event.flow_id);
    if (!event.waker_is_cause) Add(" (interrupted ").Thread(event.waker_tid).Add(")");
  }

  void IrqRun(const IrqRunEvent& event) {
    Source(event.hard, event.vector);
    Add(" ran {}{}", FormatDuration(event.duration_ns), event.woke ? ", woke somebody" : "");
  }

  void Block(const BlockEvent& event, bool complete) {
    Add("{} ", names_.Disk(event.device));
    if (event.operation != BlockOperation::kOther) Add("{} ", BlockOperationName(event.operation));
    Add("{} B", event.bytes);
    if (event.sector != 0) Add(" at sector {}", event.sector);
    Add(" by ").Thread(event.tid);
    if (complete && event.service_ns != 0) Add(" after {}", FormatDuration(event.service_ns));
  }

  void Net(const NetEvent& event) {
    if (event.interface != 0) Add("{} ", names_.Interface(event.interface));
    Add("{} B", event.bytes);
    if (event.flow_id != 0) Add(", flow {}", event.flow_id);
    if (event.sequence != 0) Add(", sequence {}", event.sequence);
    Add("{}", event.in_softirq ? " (interrupted " : " by ").Thread(event.tid);
    if (event.in_softirq) Add(")");
  }

  void Task(const TaskRecord& task) {
    Add("{} {}/{}", TaskChangeName(task.change), CleanText(task.comm), task.tid);
    if (task.tgid != task.tid) Add(" of process ").Thread(task.tgid);
    if (task.change == TaskChange::kNew) Add(", created by ").Thread(task.parent_tid);
    if (task.kernel_thread) Add(", a kernel thread");
    if (task.recorder) Add(", the recorder");
    if (!task.directory.empty()) Add(", in {}", CleanText(task.directory));
    if (!task.command.empty()) Add(": {}", CleanText(task.command));
  }

  void Probe(const ProbeEvent& event, const EventBlock& block) {
    Thread(event.tid).Add(" {}", ProbeKindName(event.kind));
    if (event.name != 0 && event.name < block.names.size()) {
      Add(" {}", CleanText(block.names[event.name]));
    }
    if (event.value == 0) return;
    if (HasKey(event)) {
      if (event.value < block.names.size()) Add(" {}", CleanText(block.names[event.value]));
      return;
    }
    if (event.kind <= ProbeKind::kSpinRelease) {
      Add(" {:#x}", event.value);
    } else {
      Add(" {}", static_cast<int64_t>(event.value));
    }
  }

  void Loss(const LossEvent& event) {
    Add("{} {} records lost within {}", FormatCount(event.count), EventKindName(event.kind),
        FormatDuration(event.duration_ns));
  }

  void Flow(const FlowRecord& flow) {
    if (flow.local != LocalChannel::kNone) {
      Add("flow {} is {} {}, {} → {}", flow.flow_id, LocalChannelName(flow.local),
          CleanText(flow.name), FlowSourceText(flow), FlowDestinationText(flow));
      if (flow.server != LocalServer::kNotKnown)
        Add(", accepted by its {}", LocalServerName(flow.server));
      return;
    }
    Add("flow {} is {} {} → {}", flow.flow_id, ProtocolName(flow.protocol), FlowSourceText(flow),
        FlowDestinationText(flow));
  }

  void LocalMessage(const LocalMessageEvent& event) {
    Thread(event.tid).Add(" {} {} B, flow {}", event.sent ? "sent" : "received", event.bytes,
                          event.flow_id);
    if (event.since_ns != 0) Add(", since {}", FormatDuration(event.since_ns));
  }

  void StackSample(const StackSampleEvent& event) {
    Thread(event.tid).Add(" {} at stack {}", StackMomentName(event.moment), event.stack_id);
    if (event.object_id != 0) Add(" for object {}", event.object_id);
    if (event.weight_log2 > 0) Add(", counted {} times", uint64_t{1} << event.weight_log2);
  }

  void Stack(const StackRecord& stack) {
    Add("stack {} is", stack.stack_id);
    for (const uint64_t address : stack.kernel) Add(" {:#x}", address);
    if (!stack.user.empty()) Add(" in process {}:", stack.tgid);
    for (const uint64_t address : stack.user) Add(" {:#x}", address);
  }

  void WaitObject(const WaitObjectRecord& object) {
    Add("object {} is {}", object.object_id, CleanText(WaitObjectText(object)));
    if (object.kind == WaitObjectKind::kFutex)
      Add(" in process {}{}", object.tgid, object.shared ? ", shared" : "");
  }

  // Of a kind that has no sentence of its own.
  void Fields(const TraceEvent& event, const EventBlock& block) {
    const EventSchema* schema = FindSchema(event.kind);
    const void* record = RecordOf(event, block);
    if (record == nullptr) return;
    std::string_view between;
    for (const EventField& field : schema->fields) {
      if (!field.IsShown(record)) continue;
      Add("{}{} ", between, field.name);
      between = ", ";
      Value(field, record, block);
    }
  }

  void Value(const EventField& field, const void* record, const EventBlock& block) {
    const RecordMember& member = field.member;
    if (const auto words = FieldWords(field, record, block, names_)) {
      Add("{}", CleanText(*words));
    } else if (field.coding == Coding::kThread) {
      Thread(static_cast<int32_t>(member.get(record)));
    } else if (member.type == MemberType::kText) {
      Add("{}", CleanText(member.TextOf(record)));
    } else if (member.type == MemberType::kList) {
      for (const uint64_t number : member.ListOf(record)) Add(" {:#x}", number);
    } else if (member.is_number()) {
      Add("{}", NumberText(field, record));
    }
  }

  Line& Thread(int32_t tid) {
    if (tid == 0) return Add("idle");
    const std::string_view comm = names_.Comm(tid);
    return Add("{}/{}", comm.empty() ? "?" : comm, tid);
  }

  void WakeSource(const WakeEvent& event) {
    if (event.context == WakeContext::kSoftirq || event.context == WakeContext::kHardirq) {
      Source(event.context == WakeContext::kHardirq, event.vector);
    } else {
      Add("{}", WakeContextName(event.context));
    }
  }

  void Source(bool hard, uint16_t vector) {
    const std::string_view name = hard ? names_.Irq(vector) : SoftirqName(vector);
    Add("{}", hard ? "hardirq" : "softirq");
    if (name.empty() || hard) Add(" {}", vector);
    if (!name.empty()) Add(" {}", name);
  }

  const SessionNames& names_;
  std::string& out_;
};

}  // namespace

void AppendEventText(const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                     uint64_t start_time_ns, std::string& out) {
  Line line(names, out);
  const bool before = event.time_ns < start_time_ns;
  const uint64_t span_ns = before ? start_time_ns - event.time_ns : event.time_ns - start_time_ns;
  line.Add("{:>6}.{:09}  ", fmt::format("{}{}", before ? "-" : "", span_ns / kNsPerSecond),
           span_ns % kNsPerSecond);
  if (event.cpu == kNoCpu) {
    line.Add("cpu  -  ");
  } else {
    line.Add("cpu {:>2}  ", event.cpu);
  }
  line.Add("{:<14}  ", EventKindName(event.kind));
  line.Words(event, block);
  out += '\n';
}

}  // namespace gordian
