// SPDX-License-Identifier: Apache-2.0
// The threads' identities, and the trace's account of itself.
#include <charconv>

#include "fmt/format.h"
#include "import/csv_translator.h"
#include "trace/counters.h"
#include "words/command_line.h"

namespace gordian {

TaskRecord CsvTranslator::Identity(TaskChange change, int32_t tid) const {
  TaskRecord task{.change = change, .tid = tid, .tgid = tid, .namespaced_tid = tid};
  if (const auto known = threads_.find(tid); known != threads_.end()) {
    task.tgid = known->second.tgid;
    task.parent_tid = known->second.parent_tid;
    task.start_time_ns = known->second.start_time_ns;
    task.comm = known->second.comm;
  }
  return task;
}

absl::Status CsvTranslator::Remember(int32_t tid, Thread thread) {
  if (threads_.size() >= kMaxThreads && !threads_.contains(tid)) {
    return absl::InvalidArgumentError(
        fmt::format("more than {} threads are alive; exit lines are missing", kMaxThreads));
  }
  threads_.insert_or_assign(tid, std::move(thread));
  unnamed_.erase(tid);
  return absl::OkStatus();
}

void CsvTranslator::Notice(int32_t tid) {
  if (tid == 0 || threads_.contains(tid) || unnamed_.size() >= kMaxThreads) return;
  unnamed_.insert(tid);
}

// A thread that a create or thread line has told of before only gets its name here.
absl::Status CsvTranslator::AliveThread() {
  int32_t tid = 0;
  Thread thread;
  if (absl::Status status = ThreadArgument(0, "TID", tid); !status.ok()) return status;
  if (absl::Status status = ThreadArgument(1, "TGID", thread.tgid); !status.ok()) return status;
  const std::string_view name = Argument(2);
  if (name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(fmt::format("NAME is longer than {} bytes", kMaxNameBytes));
  }
  if (tid == 0) return absl::OkStatus();  // idle needs no name
  thread.comm = name;
  const auto known = threads_.find(tid);
  const bool is_known = known != threads_.end();
  if (is_known) {
    thread.start_time_ns = known->second.start_time_ns;
    thread.parent_tid = known->second.parent_tid;
  }
  if (absl::Status status = Remember(tid, std::move(thread)); !status.ok()) return status;
  if (is_known) return buffers_.AddTask(cpu_, time_ns_, Identity(TaskChange::kRename, tid));
  return buffers_.AddKnownThread(time_ns_, Identity(TaskChange::kAlive, tid));
}

// The CSV does not tell threads from processes: a child counts as a thread of its parent's process,
// with its parent's name, until a thread line says otherwise.
absl::Status CsvTranslator::Create() {
  int32_t parent_tid = 0;
  int32_t child_tid = 0;
  if (absl::Status status = ThreadArgument(0, "PARENT", parent_tid); !status.ok()) return status;
  if (absl::Status status = ThreadArgument(1, "CHILD", child_tid); !status.ok()) return status;
  if (child_tid == 0 || child_tid == parent_tid) {
    return absl::InvalidArgumentError("CHILD can be neither 0 nor PARENT itself");
  }
  if (threads_.contains(child_tid)) AddCounter(described_, "import_threads_reborn", 1);
  Thread child{.tgid = child_tid, .parent_tid = parent_tid, .start_time_ns = time_ns_};
  if (const auto parent = threads_.find(parent_tid); parent != threads_.end()) {
    child.tgid = parent->second.tgid;
    child.comm = parent->second.comm;
  }
  if (absl::Status status = Remember(child_tid, std::move(child)); !status.ok()) return status;
  return buffers_.AddTask(cpu_, time_ns_, Identity(TaskChange::kNew, child_tid));
}

// The thread becomes the first of a process.
absl::Status CsvTranslator::Exec() {
  int32_t tid = 0;
  if (absl::Status status = ThreadArgument(0, "TID", tid); !status.ok()) return status;
  if (tid == 0) return absl::InvalidArgumentError("the idle thread, 0, cannot exec");
  const std::string_view name = Argument(1);
  if (name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(fmt::format("NAME is longer than {} bytes", kMaxNameBytes));
  }
  Thread thread;
  if (const auto known = threads_.find(tid); known != threads_.end()) thread = known->second;
  thread.tgid = tid;
  thread.comm = name;
  if (absl::Status status = Remember(tid, std::move(thread)); !status.ok()) return status;
  TaskRecord task = Identity(TaskChange::kExec, tid);
  task.command = CommandLineText(Argument(2), false);
  task.directory = DirectoryText(Argument(3));
  return buffers_.AddTask(cpu_, time_ns_, std::move(task));
}

absl::Status CsvTranslator::Exit() {
  int32_t tid = 0;
  if (absl::Status status = ThreadArgument(0, "TID", tid); !status.ok()) return status;
  if (tid == 0) return absl::InvalidArgumentError("the idle thread, 0, cannot exit");
  if (absl::Status status = DashArgument(1); !status.ok()) return status;
  absl::Status status = buffers_.AddTask(cpu_, time_ns_, Identity(TaskChange::kExit, tid));
  threads_.erase(tid);
  return status;
}

absl::Status CsvTranslator::Meta() {
  const std::string_view key = Argument(0);
  const std::string_view value = Argument(1);
  uint64_t number = 0;
  absl::Status status;
  if (described_.clocks_size() + described_.targets_size() >= kMaxMetaEntries) {
    return absl::InvalidArgumentError(
        fmt::format("more than {} meta lines for targets and clocks", kMaxMetaEntries));
  }
  if (key == "hostname") {
    described_.mutable_host()->set_hostname(std::string(value));
  } else if (key == "kernel") {
    described_.mutable_host()->set_kernel_release(std::string(value));
  } else if (key == "machine") {
    described_.mutable_host()->set_machine(std::string(value));
  } else if (key == "cpus") {
    status = ParseNumber(key, value, kMaxCpu + 1, number);
    described_.mutable_host()->set_cpus(static_cast<uint32_t>(number));
  } else if (key == "duration_ns") {
    status = ParseNumber(key, value, kMaxTimeNs, told_duration_ns_);
  } else if (key == "realtime_ns") {
    status = ParseNumber(key, value, kMaxTimeNs, number);
    pb::ClockPair& clock = *described_.add_clocks();
    clock.set_monotonic_ns(time_ns_);
    clock.set_realtime_ns(static_cast<int64_t>(number));
  } else if (key == "target_pid") {
    status = ParseNumber(key, value, INT32_MAX, number);
    pb::Target& target = *described_.add_targets();
    target.set_pid(static_cast<int32_t>(number));
    target.set_label(std::string(value));
  } else if (key == "target_comm") {
    pb::Target& target = *described_.add_targets();
    target.set_comm(std::string(value));
    target.set_label(std::string(value));
  } else {
    AddCounter(described_, "import_meta_unknown", 1);
  }
  return status;
}

}  // namespace gordian
