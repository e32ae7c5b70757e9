// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_builder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "trace/session_symbols.h"
#include "trace/session_writer.h"

namespace gordian::testing {
namespace {

constexpr uint16_t kNetReceiveVector = 3;
constexpr uint16_t kBlockVector = 4;
constexpr uint32_t kDiskMajor = 254;

// The `count` events of `all` from `first` on, with the parts of the side tables that they refer
// to.
EventBlock Slice(const EventBlock& all, size_t first, size_t count) {
  EventBlock part;
  part.cpu = all.cpu;
  for (size_t i = first; i < first + count; ++i) {
    TraceEvent event = all.events[i];
    if (event.kind == EventKind::kTask) {
      part.AddTask(event.time_ns, all.tasks[event.task.index]);
    } else if (event.kind == EventKind::kFlow) {
      part.AddFlow(event.time_ns, all.flows[event.flow.index]);
    } else if (event.kind == EventKind::kStack) {
      part.AddStack(event.time_ns, all.stacks[event.stack.index]);
    } else if (event.kind == EventKind::kWaitObject) {
      part.AddWaitObject(event.time_ns, all.wait_objects[event.wait_object.index]);
    } else {
      if (event.kind == EventKind::kProbe) {
        event.probe.name = part.InternName(all.names[event.probe.name]);
        if (HasKey(event.probe)) event.probe.value = part.InternName(all.names[event.probe.value]);
      }
      part.events.push_back(event);
    }
  }
  return part;
}

}  // namespace

TraceBuilder::TraceBuilder() {
  known_threads_.cpu = kNoCpu;
  session_.set_name("built");
  session_.set_recorder_version("test");
  session_.set_backend("tracepoint");
  session_.set_end_reason("asked");
  session_.mutable_host()->set_hostname("builder");
}

void TraceBuilder::Check(bool holds, std::string_view what) const {
  if (holds || !checked_) return;
  std::fprintf(stderr, "TraceBuilder: at %llu ns on cpu %u: %.*s\n",
               static_cast<unsigned long long>(time_ns_ - origin_ns_), unsigned{cpu_},
               static_cast<int>(what.size()), what.data());
  std::abort();
}

TraceBuilder& TraceBuilder::At(uint64_t time_ns) {
  Check(origin_ns_ + time_ns >= time_ns_, "time runs backwards");
  time_ns_ = origin_ns_ + time_ns;
  return *this;
}

TraceBuilder& TraceBuilder::Cpu(uint16_t cpu) {
  cpu_ = cpu;
  return *this;
}

TraceBuilder& TraceBuilder::Origin(uint64_t start_time_ns) {
  Check(cpus_.empty() && known_threads_.empty(), "the origin comes first of all");
  origin_ns_ = start_time_ns;
  time_ns_ = start_time_ns;
  return *this;
}

TraceBuilder& TraceBuilder::Unchecked() {
  checked_ = false;
  return *this;
}

TraceEvent TraceBuilder::NewEvent(EventKind kind) const {
  return TraceEvent{.time_ns = time_ns_, .kind = kind, .cpu = cpu_};
}

TraceBuilder& TraceBuilder::Add(const TraceEvent& event) {
  EventBlock& block = cpus_[cpu_];
  block.cpu = cpu_;
  block.events.push_back(event);
  return *this;
}

int32_t TraceBuilder::Running() const {
  const auto found = running_.find(cpu_);
  return found == running_.end() ? 0 : found->second;
}

// A wake that came while the thread still ran keeps it runnable.
void TraceBuilder::LeaveCpu(int32_t tid, uint32_t state) {
  Check(Running() == tid, "the thread that is switched away from does not run here");
  if (tid == 0) return;
  ThreadState& thread = threads_[tid];
  if (state == kStateDead) {
    thread.activity = Activity::kGone;
  } else if (state == kStateRunning || thread.woken) {
    thread.activity = Activity::kRunnable;
  } else {
    thread.activity = Activity::kBlocked;
  }
  thread.woken = false;
}

void TraceBuilder::EnterCpu(int32_t tid) {
  running_[cpu_] = tid;
  if (tid == 0) return;
  ThreadState& thread = threads_[tid];
  Check(thread.activity != Activity::kRunning, "the thread switched to runs on another cpu");
  Check(thread.activity != Activity::kBlocked,
        "the thread switched to is blocked: a wake is missing");
  Check(thread.activity != Activity::kGone, "the thread switched to is dead");
  thread.activity = Activity::kRunning;
}

void TraceBuilder::MakeRunnable(int32_t tid) {
  Check(tid != 0, "the idle thread cannot be woken");
  ThreadState& thread = threads_[tid];
  Check(thread.activity != Activity::kGone, "the thread woken is dead");
  if (thread.activity == Activity::kRunning) {
    thread.woken = true;
  } else {
    thread.activity = Activity::kRunnable;
  }
}

TraceBuilder& TraceBuilder::Switch(int32_t prev_tid, int32_t next_tid, uint32_t state) {
  Check(cpu_ != kNoCpu, "a switch needs a cpu");
  Check(prev_tid != next_tid, "a switch is between two threads");
  LeaveCpu(prev_tid, state);
  EnterCpu(next_tid);
  TraceEvent event = NewEvent(EventKind::kSwitch);
  event.sched_switch = SwitchEvent{.prev_tid = prev_tid,
                                   .next_tid = next_tid,
                                   .prev_state = state,
                                   .preempted = state == kStateRunning && prev_tid != 0};
  return Add(event);
}

TraceBuilder& TraceBuilder::Run(int32_t tid) { return Switch(Running(), tid, kStateRunning); }

TraceBuilder& TraceBuilder::Block(uint32_t state, int32_t next_tid) {
  return Switch(Running(), next_tid, state);
}

TraceBuilder& TraceBuilder::WakeLike(const WakeEvent& wake) {
  MakeRunnable(wake.wakee_tid);
  Check(cpu_ == kNoCpu || wake.waker_tid == Running(), "the waker does not run here");
  TraceEvent event = NewEvent(EventKind::kWake);
  event.wake = wake;
  return Add(event);
}

TraceBuilder& TraceBuilder::Wake(int32_t wakee_tid) {
  Check(Running() != 0, "nobody runs here who could wake");
  return WakeLike({.wakee_tid = wakee_tid, .waker_tid = Running()});
}

TraceBuilder& TraceBuilder::WakeFromSoftirq(int32_t wakee_tid, uint16_t vector) {
  return WakeLike({.wakee_tid = wakee_tid,
                   .waker_tid = Running(),
                   .context = WakeContext::kSoftirq,
                   .waker_is_cause = false,
                   .vector = vector});
}

TraceBuilder& TraceBuilder::WakeFromBlock(int32_t wakee_tid, uint32_t disk) {
  return WakeLike({.wakee_tid = wakee_tid,
                   .waker_tid = Running(),
                   .context = WakeContext::kSoftirq,
                   .waker_is_cause = false,
                   .device_kind = DeviceKind::kDisk,
                   .vector = kBlockVector,
                   .device = disk});
}

TraceBuilder& TraceBuilder::WakeFromNet(int32_t wakee_tid, uint32_t interface, uint32_t flow_id) {
  return WakeLike({.wakee_tid = wakee_tid,
                   .waker_tid = Running(),
                   .context = WakeContext::kSoftirq,
                   .waker_is_cause = false,
                   .device_kind = DeviceKind::kNic,
                   .vector = kNetReceiveVector,
                   .device = interface,
                   .flow_id = flow_id});
}

TraceBuilder& TraceBuilder::WakeFromHardirq(int32_t wakee_tid, uint16_t irq, uint32_t disk) {
  return WakeLike({.wakee_tid = wakee_tid,
                   .waker_tid = Running(),
                   .context = WakeContext::kHardirq,
                   .waker_is_cause = false,
                   .device_kind = disk != 0 ? DeviceKind::kDisk : DeviceKind::kNone,
                   .vector = irq,
                   .device = disk});
}

TraceBuilder& TraceBuilder::WakeFromTimer(int32_t wakee_tid) {
  return WakeLike({.wakee_tid = wakee_tid,
                   .waker_tid = Running(),
                   .context = WakeContext::kTimer,
                   .waker_is_cause = false});
}

pb::Session& TraceBuilder::session() {
  session_.set_start_time_ns(origin_ns_);
  session_.set_end_time_ns(time_ns_);
  uint32_t cpus = 0;
  for (const auto& [cpu, block] : cpus_) {
    if (cpu != kNoCpu) cpus = std::max(cpus, uint32_t{cpu} + 1);
  }
  if (session_.host().cpus() < cpus) session_.mutable_host()->set_cpus(cpus);
  return session_;
}

uint32_t TraceBuilder::Disk(std::string_view name) {
  for (const pb::Disk& disk : session_.disks()) {
    if (disk.name() == name) return disk.device();
  }
  pb::Disk& disk = *session_.add_disks();
  disk.set_device(DiskId(kDiskMajor, static_cast<uint32_t>(session_.disks_size() - 1)));
  disk.set_name(std::string(name));
  return disk.device();
}

uint32_t TraceBuilder::Interface(std::string_view name) {
  for (const pb::Interface& interface : session_.interfaces()) {
    if (interface.name() == name) return interface.index();
  }
  pb::Interface& interface = *session_.add_interfaces();
  interface.set_index(static_cast<uint32_t>(session_.interfaces_size()));
  interface.set_name(std::string(name));
  interface.set_loopback(name == "lo");
  return interface.index();
}

std::vector<EventBlock> TraceBuilder::CpuBlocks() const {
  std::vector<EventBlock> blocks;
  for (const auto& [cpu, block] : cpus_) blocks.push_back(block);
  return blocks;
}

absl::Status TraceBuilder::WriteSession(const std::string& directory, size_t events_per_block) {
  auto writer = SessionWriter::Create(directory, SessionWriterOptions{});
  if (!writer.ok()) return writer.status();
  EventBlock threads = known_threads_;
  if (absl::Status status = (*writer)->AppendTasks(threads); !status.ok()) return status;
  for (const auto& [cpu, block] : cpus_) {
    for (size_t first = 0; first < block.events.size(); first += events_per_block) {
      EventBlock part =
          Slice(block, first, std::min(events_per_block, block.events.size() - first));
      if (absl::Status status = (*writer)->AppendEvents(part); !status.ok()) return status;
    }
  }
  if (symbols_.stacks_size() > 0) {
    if (absl::Status status = WriteSymbols(directory, symbols_); !status.ok()) return status;
  }
  session().set_complete(true);
  return (*writer)->WriteSession(session_);
}

}  // namespace gordian::testing
