// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perfetto_trace.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "import/kernel/ftrace_fields.h"
#include "import/kernel/kernel_translator.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr uint8_t kPacketTag = 1 << 3 | 2;
constexpr size_t kMaxLengthBytes = 5;

uint8_t ContextOfBits(uint32_t bits) {
  constexpr uint32_t kHardirqBit = 0x08;
  constexpr uint32_t kSoftirqBit = 0x10;
  uint8_t context = KernelEvent::kToldFlags;
  if ((bits & kHardirqBit) != 0) context |= KernelEvent::kInHardirq;
  if ((bits & kSoftirqBit) != 0) context |= KernelEvent::kInSoftirq;
  return context;
}

// The number of bytes that the length of a packet takes; 0 if it is none.
size_t ParseLength(std::span<const uint8_t> bytes, uint64_t& length) {
  length = 0;
  for (size_t i = 0; i < std::min(bytes.size(), kMaxLengthBytes); ++i) {
    length |= uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if ((bytes[i] & 0x80) == 0) return i + 1;
  }
  return 0;
}

template <typename Request>
void TakeRequest(const Request& request, uint64_t bytes, KernelEvent& event) {
  event.value = static_cast<uint32_t>(request.dev());
  event.number = request.sector();
  event.count = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  event.operation = static_cast<uint8_t>(OperationOfLetters(request.rwbs()));
}

}  // namespace

int32_t& PerfettoPackets::RunningTid(uint16_t cpu) {
  if (running_tids_.size() <= cpu) running_tids_.resize(cpu + size_t{1}, -1);
  return running_tids_[cpu];
}

absl::Status PerfettoPackets::Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                                   pb::Session& session) {
  constexpr uint64_t kProgressBytes = 1u << 20;
  uint64_t next_progress = 0;
  for (uint64_t at = 0; at < file_.file_bytes();) {
    if (at >= next_progress) {
      if (absl::Status status = progress(at); !status.ok()) return status;
      next_progress = at + kProgressBytes;
    }
    std::span<const uint8_t> part;
    const uint64_t head = std::min<uint64_t>(1 + kMaxLengthBytes, file_.file_bytes() - at);
    if (absl::Status status = file_.View(at, head, part); !status.ok()) return status;
    uint64_t size = 0;
    const size_t length_bytes = ParseLength(part.subspan(1), size);
    if (part[0] != kPacketTag || length_bytes == 0)
      return WrongAt(at, at == 0 ? "this is no Perfetto trace" : "no packet begins here");
    at += 1 + length_bytes;
    if (absl::Status status = file_.View(at, size, part); !status.ok()) return status;
    absl::Status status = TakePacket(part);
    if (absl::IsInvalidArgument(status)) return WrongAt(at, std::string(status.message()));
    if (!status.ok()) return status;
    at += size;
  }
  if (unknown_events_ > 0) AddCounter(session, "import_events_unknown", unknown_events_);
  return absl::OkStatus();
}

absl::Status PerfettoPackets::TakePacket(std::span<const uint8_t> bytes) {
  google::protobuf::Arena arena;
  auto* packet = google::protobuf::Arena::CreateMessage<ftrace::TracePacket>(&arena);
  if (!packet->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return absl::InvalidArgumentError("a packet cannot be read");
  if (packet->has_compressed_packets()) return TakePackedPackets(packet->compressed_packets());
  if (packet->has_process_tree()) {
    absl::Status status = TakeTree(packet->timestamp(), packet->process_tree());
    if (!status.ok()) return status;
  }
  return packet->has_ftrace_events() ? TakeBundle(packet->ftrace_events()) : absl::OkStatus();
}

// They are packets as in a file, and not compressed again.
absl::Status PerfettoPackets::TakePackedPackets(const std::string& packed) {
  if (std::exchange(in_packed_, true))
    return absl::InvalidArgumentError("compressed packets hold compressed packets");
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(packed.data()),
                                       packed.size());
  absl::Status status = Unpack(PackedBy::kZlib, bytes, FileWindow::kMaxPartBytes, unpacked_);
  for (std::span<const uint8_t> rest(unpacked_); status.ok() && !rest.empty();) {
    uint64_t size = 0;
    const size_t length_bytes = ParseLength(rest.subspan(1), size);
    const size_t head = 1 + length_bytes;
    if (rest[0] != kPacketTag || length_bytes == 0 || size > rest.size() - head) {
      status = absl::InvalidArgumentError("compressed packets are damaged");
    } else {
      status = TakePacket(rest.subspan(head, size));
      rest = rest.subspan(head + size);
    }
  }
  in_packed_ = false;
  return status;
}

absl::Status PerfettoPackets::TakeTree(uint64_t time_ns, const ftrace::ProcessTree& tree) {
  for (const ftrace::ProcessTree::Process& process : tree.processes()) {
    absl::Status status = sink_({.time_ns = time_ns,
                                 .tid = process.pid(),
                                 .other_tid = process.pid(),
                                 .kind = KernelEventKind::kThread});
    if (!status.ok()) return status;
  }
  for (const ftrace::ProcessTree::Thread& thread : tree.threads()) {
    absl::Status status = sink_({.time_ns = time_ns,
                                 .tid = thread.tid(),
                                 .other_tid = thread.tgid(),
                                 .name = names_.Intern(thread.name()),
                                 .kind = KernelEventKind::kThread});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status PerfettoPackets::TakeBundle(const ftrace::FtraceEventBundle& bundle) {
  if (bundle.cpu() > KernelTranslator::kMaxKernelCpu)
    return absl::InvalidArgumentError(fmt::format("CPU {} is beyond the highest, {}", bundle.cpu(),
                                                  KernelTranslator::kMaxKernelCpu));
  const auto cpu = static_cast<uint16_t>(bundle.cpu());
  const ftrace::FtraceEventBundle::CompactSched& compact = bundle.compact_sched();
  if (bundle.lost_events()) {
    RunningTid(cpu) = -1;
    // What was lost came before the first event that follows.
    uint64_t first_ns = UINT64_MAX;
    if (bundle.event_size() > 0) first_ns = bundle.event(0).timestamp();
    if (compact.switch_timestamp_size() > 0)
      first_ns = std::min<uint64_t>(first_ns, compact.switch_timestamp(0));
    if (compact.waking_timestamp_size() > 0)
      first_ns = std::min<uint64_t>(first_ns, compact.waking_timestamp(0));
    if (first_ns != UINT64_MAX) {
      absl::Status status =
          sink_({.time_ns = first_ns, .cpu = cpu, .kind = KernelEventKind::kLost});
      if (!status.ok()) return status;
    }
  }
  for (const ftrace::FtraceEvent& told : bundle.event()) {
    KernelEvent event{
        .time_ns = told.timestamp(), .current_tid = static_cast<int32_t>(told.pid()), .cpu = cpu};
    if (told.has_common_flags()) event.context = ContextOfBits(told.common_flags());
    if (!Translate(told, event)) {
      ++unknown_events_;
      continue;
    }
    if (absl::Status status = sink_(event); !status.ok()) return status;
  }
  if (absl::Status status = TakeCompactSwitches(cpu, compact); !status.ok()) return status;
  return TakeCompactWakings(cpu, compact);
}

// Only who comes is told: who leaves is who came before.
absl::Status PerfettoPackets::TakeCompactSwitches(
    uint16_t cpu, const ftrace::FtraceEventBundle::CompactSched& compact) {
  const int count = compact.switch_timestamp_size();
  if (compact.switch_prev_state_size() != count || compact.switch_next_pid_size() != count ||
      compact.switch_next_comm_index_size() != count)
    return absl::InvalidArgumentError("the columns of switches have different lengths");
  int32_t& running = RunningTid(cpu);
  uint64_t time_ns = 0;
  for (int i = 0; i < count; ++i) {
    time_ns += compact.switch_timestamp(i);
    const auto name = static_cast<int64_t>(compact.switch_next_comm_index(i));
    if (name >= compact.intern_table_size())
      return absl::InvalidArgumentError("a switch has a name that is not told");
    const int32_t prev = std::exchange(running, compact.switch_next_pid(i));
    const uint32_t next_name =
        running == 0 ? 0 : names_.Intern(compact.intern_table(static_cast<int>(name)));
    KernelEvent event{.time_ns = time_ns, .cpu = cpu};
    if (prev < 0) {
      event.kind = KernelEventKind::kRunning;
      event.tid = running;
      event.name = next_name;
    } else {
      event.kind = KernelEventKind::kSwitch;
      event.tid = prev;
      event.other_tid = running;
      event.value = static_cast<uint32_t>(compact.switch_prev_state(i));
      event.other_name = next_name;
    }
    if (absl::Status status = sink_(event); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status PerfettoPackets::TakeCompactWakings(
    uint16_t cpu, const ftrace::FtraceEventBundle::CompactSched& compact) {
  const int count = compact.waking_timestamp_size();
  if (compact.waking_pid_size() != count || compact.waking_comm_index_size() != count)
    return absl::InvalidArgumentError("the columns of wakes have different lengths");
  const bool told_flags = compact.waking_common_flags_size() == count;  // not by older recorders
  uint64_t time_ns = 0;
  for (int i = 0; i < count; ++i) {
    time_ns += compact.waking_timestamp(i);
    const auto name = static_cast<int64_t>(compact.waking_comm_index(i));
    if (name >= compact.intern_table_size())
      return absl::InvalidArgumentError("a wake has a name that is not told");
    KernelEvent event{.time_ns = time_ns,
                      .tid = compact.waking_pid(i),
                      .name = names_.Intern(compact.intern_table(static_cast<int>(name))),
                      .cpu = cpu,
                      .kind = KernelEventKind::kWaking};
    if (told_flags) event.context = ContextOfBits(compact.waking_common_flags(i));
    if (absl::Status status = sink_(event); !status.ok()) return status;
  }
  return absl::OkStatus();
}

bool PerfettoPackets::Translate(const ftrace::FtraceEvent& told, KernelEvent& event) {
  using Told = ftrace::FtraceEvent;
  constexpr uint64_t kThreadFlag = 0x10000;
  constexpr uint64_t kBytesOfSector = 512;
  const auto wake = [&](const ftrace::WakeEvent& wake, KernelEventKind kind) {
    event.kind = kind;
    event.tid = wake.pid();
    event.name = names_.Intern(wake.comm());
  };
  const auto thread = [&](KernelEventKind kind, int32_t tid, const std::string& name) {
    event.kind = kind;
    event.tid = tid;
    event.name = names_.Intern(name);
  };
  const auto interrupt = [&](KernelEventKind kind, uint32_t number) {
    event.kind = kind;
    event.value = number;
  };
  switch (told.event_case()) {
    case Told::kSchedSwitch:
      event.kind = KernelEventKind::kSwitch;
      event.tid = told.sched_switch().prev_pid();
      event.other_tid = told.sched_switch().next_pid();
      event.value = static_cast<uint32_t>(told.sched_switch().prev_state());
      if (event.tid != 0) event.name = names_.Intern(told.sched_switch().prev_comm());
      if (event.other_tid != 0) event.other_name = names_.Intern(told.sched_switch().next_comm());
      return true;
    case Told::kSchedWaking:
      wake(told.sched_waking(), KernelEventKind::kWaking);
      return true;
    case Told::kSchedWakeup:
      wake(told.sched_wakeup(), KernelEventKind::kWakeup);
      return true;
    case Told::kSchedWakeupNew:
      wake(told.sched_wakeup_new(), KernelEventKind::kWakeupNew);
      return true;
    case Told::kSoftirqEntry:
      interrupt(KernelEventKind::kSoftirqEntry, told.softirq_entry().vec());
      return true;
    case Told::kSoftirqExit:
      interrupt(KernelEventKind::kSoftirqExit, told.softirq_exit().vec());
      return true;
    case Told::kIrqHandlerEntry:
      interrupt(KernelEventKind::kHardirqEntry,
                static_cast<uint32_t>(told.irq_handler_entry().irq()));
      named_irq_(event.value, told.irq_handler_entry().name());
      return true;
    case Told::kIrqHandlerExit:
      interrupt(KernelEventKind::kHardirqExit,
                static_cast<uint32_t>(told.irq_handler_exit().irq()));
      return true;
    case Told::kBlockRqIssue: {
      event.kind = KernelEventKind::kBlockIssue;
      const ftrace::IssueEvent& issue = told.block_rq_issue();
      TakeRequest(issue, issue.has_bytes() ? issue.bytes() : issue.nr_sector() * kBytesOfSector,
                  event);
      return true;
    }
    case Told::kBlockRqComplete:
      event.kind = KernelEventKind::kBlockComplete;
      TakeRequest(told.block_rq_complete(), told.block_rq_complete().nr_sector() * kBytesOfSector,
                  event);
      return true;
    case Told::kTaskNewtask:
      thread(KernelEventKind::kBirth, told.task_newtask().pid(), told.task_newtask().comm());
      event.other_tid = std::max(0, event.current_tid);
      event.value = static_cast<uint32_t>((told.task_newtask().clone_flags() & kThreadFlag) != 0
                                              ? BirthKind::kThread
                                              : BirthKind::kProcess);
      return true;
    case Told::kTaskRename:
      thread(KernelEventKind::kThread, told.task_rename().pid(), told.task_rename().newcomm());
      return true;
    case Told::kSchedProcessExec:
      thread(KernelEventKind::kExec, told.sched_process_exec().pid(),
             told.sched_process_exec().filename());
      return true;
    case Told::kSchedProcessExit:
      thread(KernelEventKind::kExit, told.sched_process_exit().pid(),
             told.sched_process_exit().comm());
      return true;
    case Told::kSchedProcessFork:
      thread(KernelEventKind::kBirth, told.sched_process_fork().child_pid(),
             told.sched_process_fork().child_comm());
      event.other_tid = told.sched_process_fork().parent_pid();
      return true;
    case Told::EVENT_NOT_SET:
      return false;
  }
  return false;
}

}  // namespace gordian
