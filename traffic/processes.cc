// SPDX-License-Identifier: Apache-2.0
#include "traffic/processes.h"

namespace gordian {

uint32_t Processes::Add(int32_t pid) {
  const auto process = static_cast<uint32_t>(processes_.size());
  processes_.push_back({.pid = pid});
  by_pid_[pid] = process;
  return process;
}

void Processes::Learn(const TaskRecord& task) {
  const bool leads = task.tid == task.tgid;
  // A process closes its connections after its exit was told: it stays known until its id is given
  // to another.
  const auto known = by_pid_.find(task.tgid);
  const bool reborn = leads && task.change == TaskChange::kNew;
  const uint32_t process = known == by_pid_.end() || reborn ? Add(task.tgid) : known->second;
  by_tid_[task.tid] = process;
  TrafficProcess& entry = processes_[process];
  entry.kernel = task.kernel_thread;
  if (task.cgroup_id != 0) entry.cgroup_id = task.cgroup_id;
  if (leads || entry.comm.empty()) entry.comm = task.comm;
}

uint32_t Processes::Of(int32_t tid) {
  if (tid <= 0) return kNoProcess;
  const auto known = by_tid_.find(tid);
  if (known == by_tid_.end()) return by_tid_[tid] = Add(tid);
  return processes_[known->second].kernel ? kNoProcess : known->second;
}

}  // namespace gordian
