// SPDX-License-Identifier: Apache-2.0
// Which thread of this machine a process means by a thread id of its own pid namespace.
//
// Learnt from the kernel's own records of threads, also of those that have ended a moment ago, as
// their words are read later. Threads without a record are looked up in /proc. A process can only
// name threads of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "recorder/sources/system_paths.h"
#include "trace/event_block.h"

namespace gordian {

class ProcessThreads {
 public:
  explicit ProcessThreads(SystemPaths paths) : paths_(std::move(paths)) {}

  // Learns from a kTask event of `block`; ignores other kinds.
  void Learn(const TraceEvent& event, const EventBlock& block);

  // The thread of process `pid` (of this machine) that has that id in its own namespace. /proc is
  // asked at most once a second per process.
  std::optional<int32_t> Find(int32_t pid, int32_t namespaced_tid, uint64_t now_ns);

  // A process that ended a moment ago and had that pid in its own namespace.
  struct EndedProcess {
    int32_t pid = 0;
    int32_t parent_pid = 0;
  };
  std::vector<EndedProcess> RecentlyEnded(int32_t namespaced_pid) const;

  // Forgets threads that ended long ago.
  void Forget(uint64_t now_ns);

 private:
  struct Thread {
    int32_t tid = 0;
    uint64_t start_time_ns = 0;
    bool ended = false;
  };
  struct Process {
    int32_t parent_pid = 0;
    uint64_t asked_proc_ns = 0;
    absl::flat_hash_map<int32_t, Thread> threads;  // by namespaced tid
  };
  struct End {
    uint64_t time_ns;
    int32_t pid;
    int32_t tid;
    int32_t namespaced_tid;
  };

  void AskProc(int32_t pid, Process& process);

  SystemPaths paths_;
  absl::flat_hash_map<int32_t, Process> processes_;  // by pid of this machine
  std::deque<End> ends_;                             // in order of time
};

// The ids of a thread in its namespaces, outermost first: the NSpid of /proc/PID/task/TID/status.
std::vector<int32_t> ReadNamespacedIds(const SystemPaths& paths, int32_t pid, int32_t tid);

}  // namespace gordian
