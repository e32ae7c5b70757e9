#include "analyzer/path/siblings.h"

#include <algorithm>
#include <tuple>

namespace gordian {

// JobSiblings of one program in order of their births: one overlaps another before it if it is born
// before the latest end so far.
JobSiblings::JobSiblings(const JobProcesses& processes, const PathJob& job)
    : processes_(processes), job_(job) {
  std::vector<ProcessId> order;
  for (ProcessId id = 0; id < processes.all().size(); ++id) {
    if (job.members[id] != 0 && id != job.root && processes.process(id).parent != kNoProcess)
      order.push_back(id);
  }
  const auto kind = [&processes](ProcessId id) {
    return std::make_tuple(processes.process(id).parent, processes.ProgramOf(id));
  };
  std::sort(order.begin(), order.end(), [&](ProcessId a, ProcessId b) {
    return std::make_tuple(kind(a), processes.process(a).begin_ns, a) <
           std::make_tuple(kind(b), processes.process(b).begin_ns, b);
  });
  std::vector<uint8_t> has_twin(processes.all().size());
  ProcessId longest = kNoProcess;
  for (const ProcessId id : order) {
    if (longest == kNoProcess || kind(longest) != kind(id)) {
      longest = id;
      continue;
    }
    const PathProcess& before = processes.process(longest);
    const PathProcess& it = processes.process(id);
    if (it.begin_ns < before.exit_ns) has_twin[id] = has_twin[longest] = 1;
    if (it.exit_ns > before.exit_ns) longest = id;
  }
  with_twin_.assign(processes.all().size(), kNoProcess);
  for (const ProcessId id : processes.parents_first()) {
    if (job.members[id] == 0 || id == job.root) continue;
    const ProcessId parent = processes.process(id).parent;
    with_twin_[id] = has_twin[id] != 0      ? id
                     : parent == kNoProcess ? kNoProcess
                                            : with_twin_[parent];
  }
}

bool JobSiblings::HasSuccessor(ProcessId process) const {
  const PathProcess& it = processes_.process(process);
  for (ProcessId id = 0; id < processes_.all().size(); ++id) {
    const PathProcess& other = processes_.process(id);
    if (job_.members[id] != 0 && other.parent == it.parent && other.begin_ns >= it.exit_ns &&
        processes_.ProgramOf(id) == processes_.ProgramOf(process))
      return true;
  }
  return false;
}

}  // namespace gordian
