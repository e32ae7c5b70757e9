// One worker: a part of the graph, and threads that share its work.
//
// The first thread leads: it takes the steps from the coordinator, passes them on to its siblings,
// works like them, and arrives at the coordinator's barrier when all of them are through.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "examples/bsp/algorithm.h"
#include "examples/bsp/job_state.h"

namespace bsp {

class Worker {
 public:
  // Starts the threads. `state` must outlive it.
  Worker(JobState& state, WorkerId id);
  // After a kQuit.
  ~Worker();

  WorkerId id() const { return id_; }
  const Part& part() const { return state_.parts[id_]; }
  // What its threads found in the last superstep. Between steps only.
  Totals TakeTotals();

 private:
  friend class ComputeThread;
  struct alignas(64) ThreadTotals {
    Totals totals;
  };

  void Lead();
  void Follow(uint32_t number);
  void BeginStep(Step step);
  void BeginGather();

  JobState& state_;
  const WorkerId id_;
  const std::string name_;  // its number
  Rendezvous siblings_;
  std::string path_;                   // of its current phase
  std::atomic<size_t> next_ = 0;       // target or vertex that no thread has taken yet
  std::atomic<uint32_t> through_ = 0;  // threads that have no more targets to gather for
  std::vector<ThreadTotals> totals_;   // by thread
  std::vector<std::thread> threads_;
};

}  // namespace bsp
