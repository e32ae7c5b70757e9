// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/unwind_tables.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "recorder/sources/clock.h"
#include "symbols/symbol_counters.h"

namespace gordian {
namespace {

constexpr uint64_t kFirstTablePauseNs = 50'000'000;
constexpr uint64_t kLongestTablePauseNs = 10'000'000'000;
int64_t ThreadCpuNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

UnwindTables::UnwindTables(const UnwindMaps& maps, const SymbolPaths& paths)
    : missed_(maps.missed),
      own_pid_(getpid()),
      thread_([this, maps, paths] { Work(maps, paths); }) {}

void UnwindTables::Learn(const EventBlock& block, uint64_t now_ns, size_t first_event) {
  for (const TraceEvent& event : std::span(block.events).subspan(first_event))
    if (event.kind == EventKind::kTask) Learn(block.tasks[event.task.index], now_ns);
}

void UnwindTables::Learn(const TaskRecord& task, uint64_t now_ns) {
  if (task.tid != task.tgid) return;
  if (task.change == TaskChange::kNew && IsTarget(task.parent_tid)) SetTarget(task.tgid);
  const auto known = processes_.find(task.tgid);
  if (known == processes_.end()) return;
  if (task.change == TaskChange::kExec) {
    // The kernel side has forgotten its mappings. It may have been looked at since: the next look
    // takes the place of that one.
    known->second = {.target = known->second.target};
    if (Due(task.tgid, now_ns)) Add({Task::Kind::kLook, task.tgid, known->second.target});
  } else if (task.change == TaskChange::kExit) {
    processes_.erase(known);
    Add({Task::Kind::kForget, task.tgid, true});
  }
}

void UnwindTables::SetTarget(int32_t tgid) { processes_[tgid].target = true; }

bool UnwindTables::IsTarget(int32_t tgid) const {
  const auto known = processes_.find(tgid);
  return known != processes_.end() && known->second.target;
}

void UnwindTables::Round(uint64_t now_ns) {
  for (uint32_t i = 0; i < GD_UNWIND_MISSES; ++i) {
    const int32_t tgid = __atomic_load_n(&missed_[i], __ATOMIC_RELAXED);
    if (tgid == 0) continue;
    // A process that is not due stays there, for a later round or until another one comes.
    if (tgid != own_pid_ && !Due(tgid, now_ns)) continue;
    int32_t expected = tgid;
    __atomic_compare_exchange_n(&missed_[i], &expected, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    if (tgid != own_pid_) Add({Task::Kind::kLook, tgid, IsTarget(tgid)});
  }
}

bool UnwindTables::Due(int32_t tgid, uint64_t now_ns) {
  const auto [at, is_new] = processes_.try_emplace(tgid);
  Process& process = at->second;
  if (now_ns < process.not_before_ns) return false;
  if (is_new && processes_.size() > GD_UNWIND_PROCESSES) {
    processes_.erase(at);
    ++processes_left_out_;
    return false;
  }
  process.pause_ns = std::clamp(process.pause_ns * 2, kFirstTablePauseNs, kLongestTablePauseNs);
  process.not_before_ns = now_ns + process.pause_ns;
  return true;
}

void UnwindTables::Add(const Task& task) {
  {
    const std::lock_guard lock(mutex_);
    AddLocked(task);
  }
  wake_.notify_one();
}

void UnwindTables::AddLocked(const Task& task) {
  if (task.first) {
    tasks_.push_front(task);
  } else {
    tasks_.push_back(task);
  }
}

void UnwindTables::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  account_.Hurry();
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

SymbolCounters UnwindTables::counters() const {
  const std::lock_guard lock(mutex_);
  SymbolCounters counters = counters_;
  Count(counters, "unwind_processes_left_out", processes_left_out_);
  return counters;
}

// The thread itself has an ordinary priority, although most of its work can wait: it holds locks of
// the processes it looks at, and of this one's memory. Threads that need these would wait until an
// idle one gets a CPU. So the processes that read are idle, and all keep to the pace.
void UnwindTables::Work(const UnwindMaps& maps, const SymbolPaths& paths) {
  pthread_setname_np(pthread_self(), "gordian-unwind");
  UnwindWorker worker(maps, paths, account_);
  int64_t told_ns = 0;  // of this thread
  const auto anything = [this] { return stop_ || !tasks_.empty() || !large_.empty(); };
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, anything);
    if (stop_) return;
    if (const int64_t pause_ns = account_.PauseNs(); pause_ns > 0) {
      wake_.wait_for(lock, std::chrono::nanoseconds(pause_ns), [this] { return stop_; });
      continue;  // by now there may be a target
    }
    std::deque<Task>& from = tasks_.empty() ? large_ : tasks_;
    const Task task = from.front();
    from.pop_front();
    const bool large_files = &from == &large_ || task.first;
    lock.unlock();
    bool finished = true;
    if (task.kind == Task::Kind::kLook) finished = worker.Look(task.tgid, large_files);
    if (task.kind == Task::Kind::kForget) worker.Forget(task.tgid);
    const int64_t thread_ns = ThreadCpuNs();
    account_.Spend(thread_ns - std::exchange(told_ns, thread_ns));
    lock.lock();
    if (!finished && large_files) AddLocked(task);  // each such look reads one file at least
    if (!finished && !large_files) large_.push_back(task);
    counters_ = worker.counters();
  }
}

}  // namespace gordian
