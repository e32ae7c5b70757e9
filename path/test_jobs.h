// SPDX-License-Identifier: Apache-2.0
// Small jobs for tests, told by who ran when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/testing/scenario_timeline.h"
#include "path/job_path.h"

namespace gordian {

// Times are nanoseconds; the recording begins at 0. A thread's id is its process'.
class JobTrace {
 public:
  // Alive at the beginning. The first one is the target, unless another is named.
  JobTrace& Alive(int tid, const std::string& name, char state = 'S');
  JobTrace& Fork(uint64_t at_ns, int parent, int child, const std::string& name = "");
  JobTrace& Thread(uint64_t at_ns, int creator, int thread, int process);
  JobTrace& Exec(uint64_t at_ns, int tid, const std::string& name);
  // Runs on `cpu`; then it sleeps (S), waits for a disk (D), ends (X), or is preempted (P).
  JobTrace& Run(int cpu, int tid, uint64_t from_ns, uint64_t to_ns, char leaves = 'S');
  // By a thread's id, or "timer", "nic 2", "disk 8".
  JobTrace& Wake(uint64_t at_ns, int tid, const std::string& by);
  JobTrace& Line(uint64_t at_ns, const std::string& words);  // any other event of CPU 0
  JobTrace& Header(const std::string& line);                 // any other line
  JobTrace& End(uint64_t at_ns);

  // Parent and child at once: forks and execs, and the child's end wakes the parent.
  JobTrace& Command(int cpu, int parent, int child, const std::string& name, uint64_t from_ns,
                    uint64_t to_ns, bool wakes_parent = true);

  std::string Text() const;

 private:
  struct Event {
    uint64_t at_ns = 0;
    int order = 0;
    std::string words;
  };
  struct Running {
    int tid;
    uint64_t from_ns, to_ns;
    char leaves;
  };
  std::string header_;
  std::vector<Event> events_;
  std::map<int, std::vector<Running>> runs_;  // by CPU
  std::map<int, std::string> names_;
};

// The path of a job whose root is the thread `root` of the trace, with all that it begot.
JobPath PathOf(const ScenarioTimeline& scenario, const std::string& root,
               JobPathOptions options = {});

// "cc run 40 alone 10 | make run 5", most first; then those outside in brackets.
std::string SharesText(const JobPath& path);
// "barrier 30 | full 70", most first.
std::string LossesText(const JobPath& path);

}  // namespace gordian
