// SPDX-License-Identifier: Apache-2.0
#include "path/brief.h"

#include <algorithm>
#include <vector>

#include "path/thresholds.h"

namespace gordian {
namespace {

size_t Heaviest(const std::vector<uint64_t>& busy_ns) {
  return static_cast<size_t>(std::max_element(busy_ns.begin(), busy_ns.end()) - busy_ns.begin());
}

// The process itself, or the first of its ancestors in a row of brief ones that none of them began.
// There are no circles of ancestors, so it ends.
ProcessId FirstOfItsRow(ProcessId id, const JobProcesses& processes,
                        const std::vector<uint8_t>& is_brief) {
  while (is_brief[processes.process(id).parent] != 0) id = processes.process(id).parent;
  return id;
}

// Begun and ended within the job, and no part of the recorder.
bool IsWhole(ProcessId id, const JobProcesses& processes, const PathJob& job) {
  const PathProcess& process = processes.process(id);
  return job.members[id] != 0 && id != job.root && process.born && process.ended &&
         process.parent != kNoProcess && process.recorder_until_ns == 0;
}

// By process; of those that are not whole nothing.
std::vector<uint64_t> BusyOfWhole(const Timeline& timeline, const JobProcesses& processes,
                                  const PathJob& job) {
  std::vector<uint64_t> busy_ns(processes.all().size());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const ProcessId id = processes.Of(thread);
    if (IsWhole(id, processes, job))
      busy_ns[id] += BusyNs(timeline, thread, job.from_ns, job.to_ns);
  }
  return busy_ns;
}

// What is spent on brief processes, by what began them and by what they are.
class Spending {
 public:
  Spending(const Timeline& timeline, const JobProcesses& processes)
      : timeline_(timeline),
        processes_(processes),
        of_parent_(processes.all().size()),
        of_row_(processes.all().size()),
        of_program_(processes.programs().size()),
        of_starter_(timeline.thread_count()) {}

  void Add(ProcessId id, ProcessId first_of_its_row, uint64_t ns) {
    sum_ns_ += ns;
    of_program_[processes_.ProgramOf(id)] += ns;
    of_row_[first_of_its_row] += ns;
    of_parent_[processes_.process(first_of_its_row).parent] += ns;
    of_starter_[StarterOf(first_of_its_row)] += ns;
  }
  uint64_t sum_ns() const { return sum_ns_; }

  void TellMost(BriefProcesses& found) {
    const auto parent = static_cast<ProcessId>(Heaviest(of_parent_));
    found.parent = processes_.programs()[processes_.ProgramOf(parent)];
    found.program = processes_.programs()[Heaviest(of_program_)];
    found.starter = static_cast<EntityId>(Heaviest(of_starter_));
    for (ProcessId id = 0; id < of_row_.size(); ++id) {
      if (StarterOf(id) != found.starter) of_row_[id] = 0;
    }
    found.started = processes_.process(static_cast<ProcessId>(Heaviest(of_row_))).leader;
  }

 private:
  EntityId StarterOf(ProcessId id) const {
    return timeline_.creator(processes_.process(id).leader);
  }

  const Timeline& timeline_;
  const JobProcesses& processes_;
  uint64_t sum_ns_ = 0;
  std::vector<uint64_t> of_parent_;   // by process
  std::vector<uint64_t> of_row_;      // by the process that began it
  std::vector<uint64_t> of_program_;  // by program
  std::vector<uint64_t> of_starter_;  // by thread
};

}  // namespace

BriefProcesses FindBrief(const Timeline& timeline, const JobProcesses& processes,
                         const PathJob& job) {
  const std::vector<uint64_t> busy_ns = BusyOfWhole(timeline, processes, job);
  std::vector<uint8_t> is_brief(processes.all().size());
  for (ProcessId id = 0; id < is_brief.size(); ++id)
    is_brief[id] = IsWhole(id, processes, job) && busy_ns[id] <= kBriefNs;
  BriefProcesses found;
  Spending spending(timeline, processes);
  for (ProcessId id = 0; id < is_brief.size(); ++id) {
    if (is_brief[id] == 0) continue;
    ++found.processes;
    spending.Add(id, FirstOfItsRow(id, processes, is_brief), busy_ns[id]);
  }
  if (found.processes == 0 || job.busy_ns == 0) return found;
  const auto sum_ns = static_cast<double>(spending.sum_ns());
  found.share = sum_ns / static_cast<double>(job.busy_ns);
  found.busy_ns = sum_ns / static_cast<double>(found.processes);
  spending.TellMost(found);
  return found;
}

}  // namespace gordian
