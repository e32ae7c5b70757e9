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

}  // namespace

BriefProcesses FindBrief(const Timeline& timeline, const JobProcesses& processes,
                         const PathJob& job) {
  std::vector<uint64_t> busy_ns(processes.all().size());
  std::vector<uint8_t> is_whole(processes.all().size());
  for (ProcessId id = 0; id < is_whole.size(); ++id) {
    const PathProcess& process = processes.process(id);
    is_whole[id] = job.members[id] != 0 && id != job.root && process.born && process.ended &&
                   process.parent != kNoProcess && process.recorder_until_ns == 0;
  }
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const ProcessId id = processes.Of(thread);
    if (is_whole[id] != 0) busy_ns[id] += BusyNs(timeline, thread, job.from_ns, job.to_ns);
  }
  std::vector<uint8_t> is_brief(processes.all().size());
  for (ProcessId id = 0; id < is_brief.size(); ++id)
    is_brief[id] = is_whole[id] != 0 && busy_ns[id] <= kBriefNs;
  BriefProcesses found;
  uint64_t sum_ns = 0;
  std::vector<uint64_t> of_parent(processes.all().size());
  std::vector<uint64_t> of_row(processes.all().size());
  std::vector<uint64_t> of_program(processes.programs().size());
  std::vector<uint64_t> of_starter(timeline.thread_count());
  for (ProcessId id = 0; id < is_brief.size(); ++id) {
    if (is_brief[id] == 0) continue;
    ++found.processes;
    sum_ns += busy_ns[id];
    of_program[processes.ProgramOf(id)] += busy_ns[id];
    const ProcessId first = FirstOfItsRow(id, processes, is_brief);
    of_row[first] += busy_ns[id];
    of_parent[processes.process(first).parent] += busy_ns[id];
    of_starter[timeline.creator(processes.process(first).leader)] += busy_ns[id];
  }
  if (found.processes == 0 || job.busy_ns == 0) return found;
  found.share = static_cast<double>(sum_ns) / static_cast<double>(job.busy_ns);
  found.busy_ns = static_cast<double>(sum_ns) / static_cast<double>(found.processes);
  const auto parent = static_cast<ProcessId>(Heaviest(of_parent));
  found.parent = processes.programs()[processes.ProgramOf(parent)];
  found.program = processes.programs()[Heaviest(of_program)];
  found.starter = static_cast<EntityId>(Heaviest(of_starter));
  for (ProcessId id = 0; id < is_brief.size(); ++id) {
    if (timeline.creator(processes.process(id).leader) != found.starter) of_row[id] = 0;
  }
  found.started = processes.process(static_cast<ProcessId>(Heaviest(of_row))).leader;
  return found;
}

}  // namespace gordian
