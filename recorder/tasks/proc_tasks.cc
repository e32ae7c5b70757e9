// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/proc_tasks.h"

#include <dirent.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "recorder/sources/process.h"

namespace gordian {
namespace {

constexpr int32_t kKthreadd = 2;  // every kernel thread is it, or its child

// The entries of a directory that are numbers; empty if it cannot be read.
std::vector<int32_t> NumbersIn(const std::string& path) {
  std::vector<int32_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (!directory) return numbers;
  while (const dirent* entry = readdir(directory.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    int32_t number = 0;
    const auto parsed = std::from_chars(entry->d_name, end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) numbers.push_back(number);
  }
  return numbers;
}

uint32_t StateOf(char letter) {
  switch (letter) {
    case 'S':
    case 'I':
      return kStateInterruptible;
    case 'D':
      return kStateUninterruptible;
    case 'T':
      return kStateStopped;
    case 't':
      return kStateTraced;
    case 'Z':
      return kStateExitZombie;
    case 'X':
      return kStateExitDead;
    case 'P':
      return kStateParked;
  }
  return kStateRunning;
}

}  // namespace

std::vector<TaskRecord> ReadTasksNotIn(const SystemPaths& paths,
                                       const std::unordered_set<int32_t>& known,
                                       uint64_t begun_before_ns) {
  std::vector<TaskRecord> tasks;
  for (const int32_t pid : NumbersIn(paths.proc)) {
    for (const int32_t tid : NumbersIn(paths.proc + "/" + std::to_string(pid) + "/task")) {
      if (known.count(tid) > 0) continue;
      const auto stat =
          ReadProcessStat(paths, tid);  // works for every thread, though only processes are listed
      if (!stat.ok() || StartTimeNs(*stat) + ClockTickNs() > begun_before_ns) continue;
      tasks.push_back(TaskRecord{.change = TaskChange::kAlive,
                                 .kernel_thread = tid == kKthreadd || stat->parent_pid == kKthreadd,
                                 .tid = tid,
                                 .tgid = pid,
                                 .parent_tid = stat->parent_pid,
                                 .namespaced_tid = tid,
                                 .state = StateOf(stat->state),
                                 .comm = stat->comm});
    }
  }
  return tasks;
}

}  // namespace gordian
