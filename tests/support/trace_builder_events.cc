// SPDX-License-Identifier: Apache-2.0
// The builder's events that change no thread's state: identity, interrupts, devices, probes,
// losses.
#include "tests/support/trace_builder.h"

namespace gordian::testing {

TraceBuilder& TraceBuilder::AddTask(TaskChange change, const TaskRecord& identity) {
  TaskRecord task = identity;
  task.change = change;
  EventBlock& block = cpus_[cpu_];
  block.cpu = cpu_;
  block.AddTask(time_ns_, task);
  return *this;
}

TraceBuilder& TraceBuilder::Thread(int32_t tid, std::string_view comm, int32_t tgid) {
  TaskRecord& identity = threads_[tid].identity;
  identity = TaskRecord{
      .tid = tid, .tgid = tgid == 0 ? tid : tgid, .namespaced_tid = tid, .comm = std::string(comm)};
  known_threads_.AddTask(time_ns_, identity);
  return *this;
}

TraceBuilder& TraceBuilder::Told(int32_t tid, uint32_t state, uint64_t switches) {
  TaskRecord told = threads_[tid].identity;
  told.change = TaskChange::kAlive;
  told.state = state;
  told.switches = switches;
  known_threads_.AddTask(time_ns_, told);
  return *this;
}

TraceBuilder& TraceBuilder::KernelThread(int32_t tid, std::string_view comm) {
  TaskRecord& identity = threads_[tid].identity;
  identity = TaskRecord{.kernel_thread = true,
                        .tid = tid,
                        .tgid = tid,
                        .namespaced_tid = tid,
                        .comm = std::string(comm)};
  known_threads_.AddTask(time_ns_, identity);
  return *this;
}

TraceBuilder& TraceBuilder::New(int32_t parent_tid, int32_t tid, std::string_view comm,
                                int32_t tgid) {
  ThreadState& thread = threads_[tid];
  thread.activity = Activity::kRunnable;  // from its birth: the kernel tells no wake for it
  thread.identity = TaskRecord{.tid = tid,
                               .tgid = tgid == 0 ? tid : tgid,
                               .parent_tid = parent_tid,
                               .namespaced_tid = tid,
                               .start_time_ns = time_ns_,
                               .comm = std::string(comm)};
  return AddTask(TaskChange::kNew, thread.identity);
}

TraceBuilder& TraceBuilder::Exec(int32_t tid, std::string_view comm, std::string_view command,
                                 std::string_view directory) {
  threads_[tid].identity.comm = comm;
  TaskRecord told = threads_[tid].identity;
  told.command = command;
  told.directory = directory;
  return AddTask(TaskChange::kExec, told);
}

TraceBuilder& TraceBuilder::Command(int32_t tid, std::string_view command,
                                    std::string_view directory) {
  TaskRecord told = threads_[tid].identity;
  told.command = command;
  told.directory = directory;
  return AddTask(TaskChange::kAlive, told);
}

TraceBuilder& TraceBuilder::Rename(int32_t tid, std::string_view comm) {
  threads_[tid].identity.comm = comm;
  return AddTask(TaskChange::kRename, threads_[tid].identity);
}

TraceBuilder& TraceBuilder::InCgroup(int32_t tid, uint64_t cgroup_id, std::string_view path) {
  pb::Cgroup* cgroup = session_.add_cgroups();
  cgroup->set_id(cgroup_id);
  cgroup->set_path(std::string(path));
  threads_[tid].identity.cgroup_id = cgroup_id;
  return AddTask(TaskChange::kAlive, threads_[tid].identity);
}

TraceBuilder& TraceBuilder::Exit(int32_t tid) {
  return AddTask(TaskChange::kExit, threads_[tid].identity);
}

TraceBuilder& TraceBuilder::SoftirqRan(uint16_t vector, uint64_t duration_ns, bool woke) {
  TraceEvent event = NewEvent(EventKind::kIrqRun);
  event.irq_run = IrqRunEvent{.duration_ns = duration_ns, .vector = vector, .woke = woke};
  return Add(event);
}

TraceBuilder& TraceBuilder::HardirqRan(uint16_t irq, uint64_t duration_ns, bool woke) {
  TraceEvent event = NewEvent(EventKind::kIrqRun);
  event.irq_run =
      IrqRunEvent{.duration_ns = duration_ns, .vector = irq, .hard = true, .woke = woke};
  return Add(event);
}

TraceBuilder& TraceBuilder::Issue(const BlockEvent& request) {
  TraceEvent event = NewEvent(EventKind::kBlockIssue);
  event.block = request;
  return Add(event);
}

TraceBuilder& TraceBuilder::Complete(const BlockEvent& request) {
  TraceEvent event = NewEvent(EventKind::kBlockComplete);
  event.block = request;
  return Add(event);
}

TraceBuilder& TraceBuilder::NetSend(const NetEvent& packet) {
  TraceEvent event = NewEvent(EventKind::kNetSend);
  event.net = packet;
  return Add(event);
}

TraceBuilder& TraceBuilder::NetReceive(const NetEvent& packet) {
  TraceEvent event = NewEvent(EventKind::kNetReceive);
  event.net = packet;
  return Add(event);
}

TraceBuilder& TraceBuilder::Flow(const FlowRecord& flow) {
  EventBlock& block = cpus_[cpu_];
  block.cpu = cpu_;
  block.AddFlow(time_ns_, flow);
  return *this;
}

TraceBuilder& TraceBuilder::LocalMessage(const LocalMessageEvent& message) {
  TraceEvent event = NewEvent(EventKind::kLocalMessage);
  event.local_message = message;
  return Add(event);
}

TraceBuilder& TraceBuilder::Probe(int32_t tid, ProbeKind kind, std::string_view name,
                                  uint64_t value) {
  TraceEvent event = NewEvent(EventKind::kProbe);
  EventBlock& block = cpus_[cpu_];
  event.probe =
      ProbeEvent{.tid = tid, .kind = kind, .name = block.InternName(name), .value = value};
  return Add(event);
}

TraceBuilder& TraceBuilder::PhaseBegin(int32_t tid, std::string_view name, std::string_view key) {
  EventBlock& block = cpus_[cpu_];
  return Probe(tid, ProbeKind::kPhaseBegin, name, block.InternName(key));
}

TraceBuilder& TraceBuilder::Loss(EventKind kind, uint64_t count, uint64_t duration_ns) {
  TraceEvent event = NewEvent(EventKind::kLoss);
  event.loss = LossEvent{.duration_ns = duration_ns, .count = count, .kind = kind};
  return Add(event);
}

uint32_t TraceBuilder::AddStack(const std::vector<std::string>& kernel_functions,
                                const std::vector<BuiltFrame>& user, int32_t tgid) {
  const auto text_of = [this](const std::string& text) {
    if (symbols_.text_size() == 0) symbols_.add_text();
    for (int i = 0; i < symbols_.text_size(); ++i) {
      if (symbols_.text(i) == text) return static_cast<uint32_t>(i);
    }
    symbols_.add_text(text);
    return static_cast<uint32_t>(symbols_.text_size() - 1);
  };
  const auto frame_of = [&](const BuiltFrame& frame) {
    pb::SymbolFrame wanted;
    wanted.set_function(text_of(frame.function));
    wanted.set_module(text_of(frame.module));
    wanted.set_file(text_of(frame.file));
    wanted.set_line(frame.line);
    wanted.set_module_offset(0x1000);
    for (int i = 0; i < symbols_.frames_size(); ++i) {
      if (symbols_.frames(i).SerializeAsString() == wanted.SerializeAsString())
        return static_cast<uint32_t>(i);
    }
    *symbols_.add_frames() = wanted;
    return static_cast<uint32_t>(symbols_.frames_size() - 1);
  };
  StackRecord record{.stack_id = static_cast<uint32_t>(symbols_.stacks_size()) + 1, .tgid = tgid};
  pb::StackFrames frames;
  frames.set_stack_id(record.stack_id);
  for (const std::string& function : kernel_functions) {
    frames.add_kernel(frame_of({.function = function, .module = "[kernel]"}));
    record.kernel.push_back(0xffffffff80000000 + frames.kernel(frames.kernel_size() - 1));
  }
  for (const BuiltFrame& frame : user) {
    frames.add_user(frame_of(frame));
    record.user.push_back(0x400000 + frames.user(frames.user_size() - 1));
  }
  *symbols_.add_stacks() = frames;
  EventBlock& block = cpus_[cpu_];
  block.cpu = cpu_;
  block.AddStack(time_ns_, record);
  return record.stack_id;
}

TraceBuilder& TraceBuilder::AddStackSample(int32_t tid, StackMoment moment, uint32_t stack_id,
                                           uint8_t weight_log2, uint32_t object_id) {
  TraceEvent event = NewEvent(EventKind::kStackSample);
  event.stack_sample = StackSampleEvent{.stack_id = stack_id,
                                        .tid = tid,
                                        .moment = moment,
                                        .weight_log2 = weight_log2,
                                        .object_id = object_id};
  return Add(event);
}

uint32_t TraceBuilder::AddWaitObject(WaitObjectRecord object) {
  object.object_id = ++wait_objects_;
  EventBlock& block = cpus_[cpu_];
  block.cpu = cpu_;
  block.AddWaitObject(time_ns_, std::move(object));
  return wait_objects_;
}

}  // namespace gordian::testing
