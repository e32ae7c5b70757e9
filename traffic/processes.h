// SPDX-License-Identifier: Apache-2.0
// Which process a thread belongs to at this point of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "trace/trace_event.h"

namespace gordian {

inline constexpr uint32_t kNoProcess = 0xffffffff;

struct TrafficProcess {
  int32_t pid = 0;
  bool kernel = false;
  uint64_t cgroup_id = 0;
  std::string comm;  // of its first thread, the last it had; empty: not known
};

class Processes {
 public:
  // In the order of time; of a thread without earlier records, also late ones.
  void Learn(const TaskRecord& task);
  // kNoProcess for idle threads and threads of the kernel: they send for other processes. A thread
  // that no record tells of is a process without a name.
  uint32_t Of(int32_t tid);
  const TrafficProcess& operator[](uint32_t process) const { return processes_[process]; }
  std::vector<TrafficProcess> Take() { return std::move(processes_); }

 private:
  uint32_t Add(int32_t pid);

  std::vector<TrafficProcess> processes_;
  absl::flat_hash_map<int32_t, uint32_t> by_pid_;  // living ones
  absl::flat_hash_map<int32_t, uint32_t> by_tid_;
};

}  // namespace gordian
