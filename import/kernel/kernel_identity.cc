// SPDX-License-Identifier: Apache-2.0
// Who the threads are, and what the trace as a whole lacks.
#include <algorithm>

#include "fmt/format.h"
#include "import/kernel/kernel_translator.h"
#include "trace/counters.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kCommBytes = 15;

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1).substr(0, kCommBytes);
}

}  // namespace

absl::Status KernelTranslator::ThreadOf(int32_t tid, Thread*& thread) {
  if (threads_.size() >= kMaxKernelThreads && !threads_.contains(tid))
    return absl::InvalidArgumentError(fmt::format("more than {} threads", kMaxKernelThreads));
  thread = &threads_[tid];
  return absl::OkStatus();
}

TaskRecord KernelTranslator::Identity(TaskChange change, int32_t tid, const Thread& thread) const {
  return TaskRecord{.change = change,
                    .tid = tid,
                    .tgid = thread.tgid == 0 ? tid : thread.tgid,
                    .parent_tid = thread.parent_tid,
                    .namespaced_tid = tid,
                    .start_time_ns = thread.start_time_ns,
                    .comm = std::string(names_[thread.name])};
}

absl::Status KernelTranslator::See(const KernelEvent& event, int32_t tid, uint32_t name) {
  if (tid == 0) return absl::OkStatus();
  Thread* thread = nullptr;
  if (absl::Status status = ThreadOf(tid, thread); !status.ok()) return status;
  if (name == 0 || name == thread->name) return absl::OkStatus();
  thread->name = name;
  if (thread->told)
    return buffers_.AddTask(event.cpu, event.time_ns, Identity(TaskChange::kRename, tid, *thread));
  thread->told = true;
  return buffers_.AddKnownThread(first_time_ns_, Identity(TaskChange::kAlive, tid, *thread));
}

absl::Status KernelTranslator::SeeCurrent(const KernelEvent& event, int32_t tid) {
  const auto known = threads_.find(tid);
  const bool has_name = known != threads_.end() && known->second.name != 0;
  return See(event, tid, has_name ? 0 : event.other_name);
}

absl::Status KernelTranslator::Fact(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  Thread* thread = nullptr;
  if (absl::Status status = ThreadOf(event.tid, thread); !status.ok()) return status;
  const int32_t tgid = event.other_tid == 0 ? thread->tgid : event.other_tid;
  const uint32_t name = event.name == 0 ? thread->name : event.name;
  if (tgid == thread->tgid && name == thread->name) return absl::OkStatus();
  thread->tgid = tgid;
  thread->name = name;
  if (!any_) return absl::OkStatus();
  time_ns_ = std::max(time_ns_, event.time_ns);
  if (std::exchange(thread->told, true))
    return buffers_.AddTask(event.cpu, event.time_ns,
                            Identity(TaskChange::kRename, event.tid, *thread));
  return buffers_.AddKnownThread(first_time_ns_, Identity(TaskChange::kAlive, event.tid, *thread));
}

absl::Status KernelTranslator::NoteIdentity(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  if (event.kind == KernelEventKind::kExit) {
    threads_.erase(event.tid);
    return absl::OkStatus();
  }
  Thread* thread = nullptr;
  if (absl::Status status = ThreadOf(event.tid, thread); !status.ok()) return status;
  if (event.kind == KernelEventKind::kExec) {
    thread->tgid = event.tid;
  } else {
    *thread = BornBy(event);
    thread->start_time_ns = 0;
    thread->fresh = false;
  }
  return absl::OkStatus();
}

absl::Status KernelTranslator::TellKnownThreads() {
  std::vector<int32_t> tids;
  for (const auto& [tid, thread] : threads_) tids.push_back(tid);
  std::sort(tids.begin(), tids.end());
  for (const int32_t tid : tids) {
    Thread& thread = threads_[tid];
    thread.told = true;
    absl::Status status =
        buffers_.AddKnownThread(first_time_ns_, Identity(TaskChange::kAlive, tid, thread));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The child's name is its parent's until it is told.
KernelTranslator::Thread KernelTranslator::BornBy(const KernelEvent& event) const {
  Thread child{.parent_tid = event.other_tid,
               .start_time_ns = event.time_ns,
               .name = event.name,
               .fresh = true};
  const auto parent = threads_.find(event.other_tid);
  const bool known = parent != threads_.end();
  if (child.name == 0 && known) child.name = parent->second.name;
  const auto kind = static_cast<BirthKind>(event.value);
  if (kind == BirthKind::kProcess) child.tgid = event.tid;
  // Of a parent whose process is not told it is the nearest there is.
  if (kind == BirthKind::kThread)
    child.tgid = known && parent->second.tgid != 0 ? parent->second.tgid : event.other_tid;
  return child;
}

// Two events tell of a birth: one its kind, the other the kernel's fork. Both come before it runs.
absl::Status KernelTranslator::Birth(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  Thread* child = nullptr;
  if (absl::Status status = ThreadOf(event.tid, child); !status.ok()) return status;
  const auto kind = static_cast<BirthKind>(event.value);
  if (child->fresh && (kind == BirthKind::kNotTold || child->tgid != 0)) return absl::OkStatus();
  if (child->told && !child->ended && !child->fresh) Count("import_threads_reborn");
  const TaskChange change = child->fresh ? TaskChange::kRename : TaskChange::kNew;
  *child = BornBy(event);
  child->told = true;
  return buffers_.AddTask(event.cpu, event.time_ns, Identity(change, event.tid, *child));
}

absl::Status KernelTranslator::Exec(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  Thread* thread = nullptr;
  if (absl::Status status = ThreadOf(event.tid, thread); !status.ok()) return status;
  thread->tgid = event.tid;
  thread->told = true;
  TaskRecord task = Identity(TaskChange::kExec, event.tid, *thread);
  // Its name follows with the next event; until then the file's serves.
  if (event.name != 0) task.comm = BaseName(names_[event.name]);
  return buffers_.AddTask(event.cpu, event.time_ns, std::move(task));
}

absl::Status KernelTranslator::Exit(const KernelEvent& event) {
  if (event.tid == 0) return absl::OkStatus();
  if (absl::Status status = See(event, event.tid, event.name); !status.ok()) return status;
  Thread& thread = threads_[event.tid];
  if (thread.ended) return absl::OkStatus();
  thread.ended = true;
  return buffers_.AddTask(event.cpu, event.time_ns, Identity(TaskChange::kExit, event.tid, thread));
}

void KernelTranslator::Count(std::string_view name, uint64_t value) { counts_[name] += value; }

void KernelTranslator::NameIrq(uint32_t number, std::string_view name) {
  if (name.empty() || number >= kUntoldIrq) return;
  irqs_.try_emplace(number, CleanText(std::string(name)));
}

absl::Status KernelTranslator::Finish(pb::Session& session) {
  if (!any_)
    return absl::InvalidArgumentError(
        "holds no event of the scheduler, of interrupts or disks: was it recorded with "
        "sched_switch and sched_waking?");
  if (absl::Status status = buffers_.Flush(); !status.ok()) return status;
  uint64_t unnamed = 0;
  uint64_t of_no_process = 0;
  for (const auto& [tid, thread] : threads_) {
    unnamed += thread.told ? 0 : 1;
    of_no_process += thread.tgid == 0 ? 1 : 0;
  }
  Count("import_threads_unnamed", unnamed);
  Count("import_threads_of_no_process", of_no_process);
  Count("import_names_dropped", names_.dropped());
  Count("import_wakes_missing", wakes_ == 0 ? 1 : 0);
  Count("import_without_disks", any_disks_ ? 0 : 1);
  Count("import_without_interrupts", any_interrupts_ ? 0 : 1);
  Count("import_without_packets", 1);
  for (const auto& [name, value] : counts_) {
    if (value > 0) AddCounter(session, name, value);
  }
  std::vector<uint32_t> disks(disks_.begin(), disks_.end());
  std::sort(disks.begin(), disks.end());
  for (const uint32_t device : disks) {
    pb::Disk& disk = *session.add_disks();
    disk.set_device(device);
    disk.set_name(fmt::format("{}:{}", device >> 20, device & 0xfffff));
  }
  irqs_[kUntoldIrq] = "not told";
  std::vector<std::pair<uint32_t, std::string>> irqs(irqs_.begin(), irqs_.end());
  std::sort(irqs.begin(), irqs.end());
  for (const auto& [number, name] : irqs) {
    pb::Irq& irq = *session.add_irqs();
    irq.set_number(number);
    irq.set_name(name);
  }
  if (session.host().cpus() == 0)
    session.mutable_host()->set_cpus(static_cast<uint32_t>(cpus_.size()));
  session.set_start_time_ns(first_time_ns_);
  session.set_end_time_ns(time_ns_);
  return absl::OkStatus();
}

}  // namespace gordian
