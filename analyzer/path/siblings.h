// Stragglers' marks: processes with another of their kind beside them. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/path/job.h"

namespace gordian {

class JobSiblings {
 public:
  JobSiblings(const JobProcesses& processes, const PathJob& job);

  // The process itself or the nearest of its ancestors below the job's root that has a sibling of
  // the same program which lived at the same time; kNoProcess if there is none.
  ProcessId WithTwin(ProcessId process) const { return with_twin_[process]; }
  // Whether a sibling of its program began after it had ended.
  bool HasSuccessor(ProcessId process) const;

 private:
  const JobProcesses& processes_;
  const PathJob& job_;
  std::vector<ProcessId> with_twin_;
};

}  // namespace gordian
