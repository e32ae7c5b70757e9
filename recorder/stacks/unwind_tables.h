// SPDX-License-Identifier: Apache-2.0
// Teaches the kernel side to follow the stacks of the processes it meets: by their mappings, and
// the tables of the files mapped there. A thread of its own reads them, so that no other thread
// waits.
//
// A file is read once in a recording, even if many processes map it. It is known by device, inode
// and build-id: a build-id alone can be made up, and would spoil the stacks of others.
//
// Bounds: 4 million rows (32 MiB, as they are needed), 512 different sets of mappings (12 MiB),
// 8,192 processes; a minute of CPU time for reading in all, five seconds for each file. Anything
// beyond is counted, and frame pointers are followed there. All of it together takes 1 % of the
// CPUs in any second, targets first, unless the recording has no budget.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "recorder/attach/unwind_maps.h"
#include "recorder/stacks/unwind_layout.h"
#include "symbols/disk_cache.h"
#include "symbols/symbols.h"
#include "trace/event_block.h"

namespace gordian {

// Used by the worker alone.
class UnwindWorker {
 public:
  UnwindWorker(const UnwindMaps& maps, const SymbolPaths& paths, ReadingAccount& account);

  // Reads the process's present mappings, and tells the kernel side. False if there are files left
  // to read: one call takes some 20 ms, so that others have their turn. Until it is called
  // again frame pointers are followed in these files. Large files are left too, unless asked for:
  // on a busy machine one may take seconds.
  bool Look(int32_t tgid, bool large_files);
  // The process has ended, or replaced its program.
  void Forget(int32_t tgid);

  const SymbolCounters& counters() const { return counters_; }

 private:
  using ModuleKey = std::tuple<uint64_t, uint64_t, std::string>;  // device, inode, build-id
  struct Set {
    uint64_t hash = 0;
    uint32_t users = 0;  // 0: free
    uint32_t generation = 0;
  };

  // Reads it if it is not known yet; null, too, if there is no time for that before `until_ns`.
  const PlacedTable* TableOf(const ProcessMaps& maps, const Mapping& mapping, int64_t until_ns,
                             bool large_files, bool& finished);
  void Tell(int32_t tgid, const std::vector<gd_unwind_range>& ranges);
  PlacedTable Place(const UnwindTable& table);
  // The number of the set that holds these ranges, one user more; -1 if there is no room.
  int Acquire(const std::vector<gd_unwind_range>& ranges);
  void Release(uint32_t set);

  const SymbolPaths paths_;
  ReadingAccount& account_;
  UnwindMapWriter writer_;
  ProcessCapture capture_;
  DiskCache cache_;
  ChunkSpace space_;
  std::map<ModuleKey, PlacedTable> modules_;
  std::vector<Set> sets_;
  std::map<int32_t, uint32_t> set_of_process_;
  uint32_t generation_ = 0;
  int64_t reading_ns_ = 0;  // spent on files so far
  SymbolCounters counters_;
};

class UnwindTables {
 public:
  // `maps` must live longer.
  explicit UnwindTables(const UnwindMaps& maps, const SymbolPaths& paths = {});
  ~UnwindTables() { Stop(); }
  UnwindTables(const UnwindTables&) = delete;
  UnwindTables& operator=(const UnwindTables&) = delete;

  // When the kernel side meets this process, or one that it forks, it is looked at before all
  // others: the recording is about it.
  void SetTarget(int32_t tgid);
  // Files are read as fast as an idle priority allows: of a recording that may take what it needs.
  void ReadAtOnce() { account_.Hurry(); }
  // Takes note of processes that end or replace their program.
  void Learn(const EventBlock& block, uint64_t now_ns, size_t first_event = 0);
  // Makes the worker look at processes that the kernel side could not follow. Call it often; it
  // never waits.
  void Round(uint64_t now_ns);
  // Waits for the file that is being read just now, which then knows no pace. From then on no
  // process is looked at.
  void Stop();

  SymbolCounters counters() const;
  // The CPU time that its thread and the processes that read for it took so far. Any thread may
  // ask.
  int64_t cpu_ns() const { return account_.spent_ns(); }

 private:
  // A process may load code all the time, or run code without tables: the pauses between looks
  // grow.
  struct Process {
    uint64_t not_before_ns = 0;
    uint64_t pause_ns = 0;
    bool target = false;
  };
  struct Task {
    enum class Kind { kLook, kForget } kind;
    int32_t tgid;
    bool first;  // before all others
  };

  void Learn(const TaskRecord& task, uint64_t now_ns);
  bool IsTarget(int32_t tgid) const;
  void Add(const Task& task);
  void AddLocked(const Task& task);
  // False if it was looked at just now.
  bool Due(int32_t tgid, uint64_t now_ns);
  void Work(const UnwindMaps& maps, const SymbolPaths& paths);

  ReadingAccount account_{ReadingPace::OfThisProcess()};
  int32_t* const missed_;
  const int32_t own_pid_;
  std::map<int32_t, Process> processes_;  // of the caller's thread, like all above
  uint64_t processes_left_out_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::deque<Task> tasks_;
  std::deque<Task> large_;  // looks that have large files left: when there is nothing else to do
  SymbolCounters counters_;

  std::thread thread_;
};

}  // namespace gordian
