// SPDX-License-Identifier: Apache-2.0
#include "recorder/probes/process_threads.h"

#include <dirent.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

// Longer than a word lies in its ring before it is read.
constexpr uint64_t kRememberEndedNs = 10'000'000'000;
constexpr uint64_t kAskProcAgainNs = 1'000'000'000;

}  // namespace

std::vector<int32_t> ReadNamespacedIds(const SystemPaths& paths, int32_t pid, int32_t tid) {
  std::vector<int32_t> ids;
  const auto status = ReadSmallFile(absl::StrCat(paths.proc, "/", pid, "/task/", tid, "/status"));
  std::string_view text = status ? std::string_view(*status) : std::string_view();
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with("NSpid:")) continue;
    TakeField(line);
    while (const auto id = ParseNumber<int32_t>(TakeField(line))) ids.push_back(*id);
    break;
  }
  return ids;
}

// CPUs are drained one after the other: the end of a thread may be heard before its birth, and the
// end of an old life after the birth of its id's next one.
void ProcessThreads::Learn(const TraceEvent& event, const EventBlock& block) {
  if (event.kind != EventKind::kTask) return;
  const TaskRecord& task = block.tasks[event.task.index];
  if (task.kernel_thread) return;
  Process& process = processes_[task.tgid];
  if (task.tid == task.tgid && task.parent_tid != 0) process.parent_pid = task.parent_tid;
  Thread& thread = process.threads[task.namespaced_tid];
  if (task.start_time_ns < thread.start_time_ns) return;
  const bool same_life = thread.tid == task.tid && thread.start_time_ns == task.start_time_ns;
  const bool ended = task.change == TaskChange::kExit || (same_life && thread.ended);
  if (ended && !(same_life && thread.ended)) {
    ends_.push_back({event.time_ns, task.tgid, task.tid, task.namespaced_tid});
  }
  thread = {.tid = task.tid, .start_time_ns = task.start_time_ns, .ended = ended};
}

std::optional<int32_t> ProcessThreads::Find(int32_t pid, int32_t namespaced_tid, uint64_t now_ns) {
  Process& process = processes_[pid];
  auto found = process.threads.find(namespaced_tid);
  if (found == process.threads.end() &&
      (process.asked_proc_ns == 0 || now_ns - process.asked_proc_ns >= kAskProcAgainNs)) {
    process.asked_proc_ns = now_ns;
    AskProc(pid, process);
    found = process.threads.find(namespaced_tid);
  }
  if (found == process.threads.end()) return std::nullopt;
  return found->second.tid;
}

void ProcessThreads::AskProc(int32_t pid, Process& process) {
  const std::string folder = absl::StrCat(paths_.proc, "/", pid, "/task");
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  if (!directory) return;
  while (const dirent* entry = readdir(directory.get())) {
    const auto tid = ParseNumber<int32_t>(entry->d_name);
    if (!tid) continue;
    const std::vector<int32_t> ids = ReadNamespacedIds(paths_, pid, *tid);
    if (!ids.empty()) process.threads.try_emplace(ids.back(), Thread{.tid = *tid});
  }
}

std::vector<ProcessThreads::EndedProcess> ProcessThreads::RecentlyEnded(
    int32_t namespaced_pid) const {
  std::vector<EndedProcess> ended;
  for (const End& end : ends_) {
    if (end.tid != end.pid || end.namespaced_tid != namespaced_pid) continue;
    const auto process = processes_.find(end.pid);
    if (process != processes_.end()) ended.push_back({end.pid, process->second.parent_pid});
  }
  return ended;
}

// An end that was taken back (the id lives again, as another thread) forgets no thread.
void ProcessThreads::Forget(uint64_t now_ns) {
  while (!ends_.empty() && ends_.front().time_ns + kRememberEndedNs < now_ns) {
    const End end = ends_.front();
    ends_.pop_front();
    const auto process = processes_.find(end.pid);
    if (process == processes_.end()) continue;
    auto& threads = process->second.threads;
    const auto thread = threads.find(end.namespaced_tid);
    if (thread != threads.end() && thread->second.ended && thread->second.tid == end.tid) {
      threads.erase(thread);
    }
    if (threads.empty()) processes_.erase(process);
  }
}

}  // namespace gordian
