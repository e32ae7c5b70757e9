// SPDX-License-Identifier: Apache-2.0
// The living threads: told as a recording begins, and again as it goes on after a pause.
#include <sys/types.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "recorder/drain/records.h"
#include "recorder/recording/node_recording.h"
#include "recorder/sources/system_paths.h"
#include "recorder/tasks/proc_commands.h"
#include "recorder/tasks/proc_tasks.h"
#include "trace/counters.h"

namespace gordian {
namespace {

// For how long the command lines of living processes are read. A process takes some 10 µs, but
// some 100 ms if its memory is being changed at that moment, and the recording waits for it.
constexpr uint64_t kCommandsNs = 500'000'000;

EventBlock TasksBlock(const std::vector<gd_task>& tasks) {
  EventBlock block;
  block.cpu = kNoCpu;
  for (const gd_task& task : tasks) block.AddTask(task.time_ns, ToTaskRecord(task));
  return block;
}

}  // namespace

// The list is read after records began to be written: a thread that is born meanwhile is in one of
// the two, or in both.
absl::Status NodeRecording::RecordAliveTasks() {
  // Threads are listed by tid, and a child may have a smaller one than its parent: with --only a
  // second look finds the children whose parents became targets by the first.
  if (options_.targets.only) {
    if (auto first = programs_->ReadAliveTasks(); !first.ok()) return first.status();
  }
  const auto tasks = programs_->ReadAliveTasks();
  if (!tasks.ok()) return tasks.status();
  EventBlock block = TasksBlock(*tasks);
  std::unordered_set<int32_t> listed;
  for (const gd_task& task : *tasks) listed.insert(task.tid);
  for (TaskRecord& task : ReadTasksNotIn(SystemPaths{}, listed, attached_boottime_ns_))
    block.AddTask(start_ns_, std::move(task));
  if (options_.commands)
    SetCounter(session_, "commands_not_read",
               ReadCommands(SystemPaths{}, kCommandsNs, block.tasks));
  return AppendTasks(block);
}

// The first append also asks for the known threads. They must still be unknown here, or they would
// be told twice.
absl::Status NodeRecording::AppendTasks(EventBlock& block) {
  const EventBlock told = block;
  absl::Status status = writer_->AppendTasks(block);
  for (const TraceEvent& event : told.events) {
    identity_.Learn(event, told);
    probes_.Learn(event, told);
  }
  return status;
}

// Empty if the kernel cannot be asked: then the states are not known, as before.
std::unordered_map<int32_t, IdentityTable::State> NodeRecording::StatesNow() {
  std::unordered_map<int32_t, IdentityTable::State> states;
  const auto tasks = programs_->ReadAliveTasks();
  if (!tasks.ok()) return states;
  for (const gd_task& task : *tasks)
    states[task.tid] = {
        .time_ns = task.time_ns, .start_time_ns = task.start_time_ns, .state = task.state};
  return states;
}

// The table has learned what was flushed, and nothing behind.
absl::StatusOr<uint64_t> NodeRecording::DescribeThreads(EventBlock& block) {
  const std::lock_guard lock(mutex_);
  if (!begun_) return absl::FailedPreconditionError("the recording has not begun");
  stacks_are_wanted_ = true;
  block.Clear();
  block.cpu = kNoCpu;
  const uint64_t known_until_ns = std::max(start_ns_, last_flush_ns_);
  identity_.Describe(known_until_ns, StatesNow(), block);
  return known_until_ns;
}

// The state of each, and how often it has left a CPU: so that the analysis sees which waits go on.
absl::Status NodeRecording::RecordTasksAfterPause() {
  const auto tasks = programs_->ReadAliveTasks();
  if (!tasks.ok()) return tasks.status();
  EventBlock block = TasksBlock(*tasks);
  return AppendTasks(block);
}

}  // namespace gordian
