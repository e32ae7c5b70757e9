// SPDX-License-Identifier: Apache-2.0
#include "path/job.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "path/thresholds.h"

namespace gordian {
namespace {

constexpr int32_t kInitTid = 1;

class JobFinder {
 public:
  JobFinder(const Timeline& timeline, const JobProcesses& processes, const JobPathOptions& options)
      : timeline_(timeline), processes_(processes), options_(options) {
    from_ns_ = std::max(options.from_ns, timeline.start_ns());
    to_ns_ = std::min(options.to_ns, timeline.end_ns());
    busy_ns_.resize(processes.commands().size());
    is_known_.resize(processes.all().size());
    threads_of_.resize(processes.all().size());
    for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
      threads_of_[processes.Of(thread)].push_back(thread);
  }

  PathJob Find() {
    PathJob named = OfTarget();
    if (!options_.is_named) {
      PathJob begot = OfBusiestAncestor();
      if (begot.root != kNoProcess) {
        AddBusyOfAll(named);
        AddBusyOfAll(begot);
        return begot.busy_ns >= named.busy_ns ? begot : named;
      }
    }
    if (named.short_lived_ns > 0 || options_.whatever_it_is) AddBusyOfAll(named);
    return named;
  }

 private:
  // A process may exec in the middle of a segment: each command gets its part.
  void AddBusy(EntityId thread) {
    const PathProcess& process = processes_.process(processes_.Of(thread));
    for (uint32_t i = 0; i < process.commands; ++i) {
      const PathCommand& command = processes_.commands()[process.first_command + i];
      // A thread that outlives its process' first one belongs to the last command.
      const uint64_t to_ns = i + 1 == process.commands ? process.end_ns : command.to_ns;
      const uint64_t from_ns = std::max(command.from_ns, process.recorder_until_ns);
      busy_ns_[process.first_command + i] +=
          BusyNs(timeline_, thread, std::max(from_ns, from_ns_), std::min(to_ns, to_ns_));
    }
  }

  // The segments of a process are read when it is first asked for: of most nobody asks.
  void Know(ProcessId id) {
    if (std::exchange(is_known_[id], uint8_t{1}) != 0) return;
    for (const EntityId thread : threads_of_[id]) AddBusy(thread);
  }

  uint64_t BusyOf(ProcessId id) {
    Know(id);
    uint64_t sum_ns = 0;
    const PathProcess& process = processes_.process(id);
    for (uint32_t i = 0; i < process.commands; ++i) sum_ns += busy_ns_[process.first_command + i];
    return sum_ns;
  }

  // Nothing can be told of a job below init: it would be all of the machine.
  bool CanBeRoot(ProcessId id) const {
    if (id == kNoProcess) return false;
    const PathProcess& process = processes_.process(id);
    return timeline_.entities()[process.leader].tid != kInitTid && !process.is_kernel &&
           process.recorder_until_ns < process.end_ns;
  }

  PathJob OfTarget() {
    PathJob job;
    job.members.resize(processes_.all().size());
    bool is_first = true;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (thread >= options_.is_target.size() || options_.is_target[thread] == 0) continue;
      const ProcessId id = processes_.Of(thread);
      const PathProcess& process = processes_.process(id);
      if (process.is_kernel || process.recorder_until_ns >= process.end_ns) continue;
      if (process.begin_ns >= to_ns_ || process.end_ns <= from_ns_) continue;
      job.members[id] = 1;
      job.root = is_first ? id : processes_.CommonAncestor(job.root, id);
      is_first = false;
    }
    // The parent of two named servers is no job: its other children are not meant.
    const bool is_meant = job.root != kNoProcess && (!options_.is_named || job.members[job.root]);
    if (!is_meant || !CanBeRoot(job.root)) job.root = kNoProcess;
    Complete(job);
    return job;
  }

  // Members beget members; then times and the share of short-lived commands.
  void Complete(PathJob& job) {
    for (const ProcessId id : processes_.parents_first()) {
      const PathProcess& process = processes_.process(id);
      const bool is_below = process.parent != kNoProcess && job.members[process.parent] != 0;
      if (id == job.root || (is_below && !process.is_kernel)) job.members[id] = 1;
      if (process.recorder_until_ns >= process.end_ns) job.members[id] = 0;
    }
    job.from_ns = to_ns_;
    job.to_ns = from_ns_;
    if (job.root != kNoProcess) {
      const PathProcess& root = processes_.process(job.root);
      // Of what ended in a pause only the end is known, and not what it waited for.
      const bool ends_in_pause =
          timeline_.pauses().NextPause(root.end_ns, Pauses::kNever) == root.end_ns;
      job.is_whole =
          root.ended && !ends_in_pause && root.end_ns <= to_ns_ && root.begin_ns < to_ns_;
      job.from_ns = std::max({root.begin_ns, root.recorder_until_ns, from_ns_});
      job.to_ns = std::min(root.end_ns, to_ns_);
      // The path goes back from the end of its first thread.
      if (job.is_whole) job.to_ns = std::min(job.to_ns, timeline_.entities()[root.leader].end_ns);
    } else {
      for (ProcessId id = 0; id < job.members.size(); ++id) {
        if (job.members[id] == 0) continue;
        const PathProcess& process = processes_.process(id);
        job.from_ns = std::min(job.from_ns, std::max(process.begin_ns, from_ns_));
        job.to_ns = std::max(job.to_ns, std::min(process.end_ns, to_ns_));
      }
    }
    job.to_ns = std::max(job.to_ns, job.from_ns);
    AddShortLived(job);
  }

  void AddBusyOfAll(PathJob& job) {
    for (ProcessId id = 0; id < job.members.size(); ++id) {
      if (job.members[id] != 0) job.busy_ns += BusyOf(id);
    }
  }

  void AddShortLived(PathJob& job) {
    const std::vector<uint8_t> in_a_row = ProgramsInARow(job);
    const auto most_ns = kShortCommand * static_cast<double>(job.to_ns - job.from_ns);
    for (CommandId id = 0; id < processes_.commands().size(); ++id) {
      const PathCommand& command = processes_.commands()[id];
      if (job.members[command.process] == 0 || command.process == job.root) continue;
      const PathProcess& process = processes_.process(command.process);
      const uint64_t from_ns = std::max(command.from_ns, job.from_ns);
      const uint64_t to_ns = std::min(command.to_ns, job.to_ns);
      const double life_ns = to_ns > from_ns ? static_cast<double>(to_ns - from_ns) : 0;
      const bool is_one_of_a_row = process.born && process.ended && in_a_row[command.program] != 0;
      if (life_ns > most_ns && !is_one_of_a_row) continue;
      Know(command.process);
      job.short_lived_ns += busy_ns_[id];
      ++job.short_lived_runs;
    }
  }

  // Programs whose commands follow each other: many more in all than ever lived at once.
  std::vector<uint8_t> ProgramsInARow(const PathJob& job) const {
    struct Change {
      uint64_t time_ns;
      bool is_birth;
    };
    std::vector<std::vector<Change>> changes(processes_.programs().size());
    for (const PathCommand& command : processes_.commands()) {
      if (job.members[command.process] == 0) continue;
      changes[command.program].push_back({command.from_ns, true});
      changes[command.program].push_back({command.to_ns, false});
    }
    std::vector<uint8_t> in_a_row(changes.size());
    for (ProgramId program = 0; program < changes.size(); ++program) {
      std::vector<Change>& its = changes[program];
      std::sort(its.begin(), its.end(), [](const Change& a, const Change& b) {
        return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.is_birth < b.is_birth;
      });
      int64_t alive = 0;
      int64_t most_alive = 1;
      for (const Change& change : its) {
        alive += change.is_birth ? 1 : -1;
        most_alive = std::max(most_alive, alive);
      }
      in_a_row[program] =
          static_cast<double>(its.size()) / 2 >= kCommandsInARow * static_cast<double>(most_alive);
    }
    return in_a_row;
  }

  PathJob OfBusiestAncestor() {
    std::vector<uint64_t> below_ns(processes_.all().size());
    uint64_t all_ns = 0;
    const auto order = processes_.parents_first();
    const double most_ns = kShortCommand * static_cast<double>(to_ns_ - from_ns_);
    const auto is_short = [&](const PathProcess& process) {
      return static_cast<double>(process.end_ns - process.begin_ns) <= most_ns;
    };
    for (size_t i = order.size(); i-- > 0;) {
      const PathProcess& process = processes_.process(order[i]);
      if (process.is_kernel || process.recorder_until_ns >= process.end_ns) continue;
      if (is_short(process)) {
        below_ns[order[i]] += BusyOf(order[i]);
        all_ns += BusyOf(order[i]);
      }
      if (process.parent != kNoProcess) below_ns[process.parent] += below_ns[order[i]];
    }
    PathJob job;
    for (const ProcessId id : order) {  // children of the chosen one come later
      const PathProcess& process = processes_.process(id);
      if (is_short(process) || !CanBeRoot(id) || all_ns == 0) continue;
      if (static_cast<double>(below_ns[id]) >= kIsAJob * static_cast<double>(all_ns)) job.root = id;
    }
    job.members.resize(processes_.all().size());
    if (job.root != kNoProcess) Complete(job);
    return job;
  }

  const Timeline& timeline_;
  const JobProcesses& processes_;
  const JobPathOptions& options_;
  uint64_t from_ns_ = 0;
  uint64_t to_ns_ = 0;
  std::vector<std::vector<EntityId>> threads_of_;  // by process
  std::vector<uint8_t> is_known_;                  // by process: its busy times
  std::vector<uint64_t> busy_ns_;                  // by command
};

}  // namespace

uint64_t BusyNs(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns) {
  uint64_t sum_ns = 0;
  if (from_ns >= to_ns) return 0;
  for (auto at = timeline.SegmentsFrom(thread, from_ns); !at.done() && at.start_ns() < to_ns;
       at.Next()) {
    const SegmentKind kind = at.segment().kind;
    if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin && !IsDiskWait(at.segment()))
      continue;
    const uint64_t begin_ns = std::max(at.start_ns(), from_ns);
    const uint64_t end_ns = std::min(at.end_ns(), to_ns);
    if (begin_ns < end_ns) sum_ns += end_ns - begin_ns;
  }
  return sum_ns;
}

PathJob FindJob(const Timeline& timeline, const JobProcesses& processes,
                const JobPathOptions& options) {
  return JobFinder(timeline, processes, options).Find();
}

}  // namespace gordian
