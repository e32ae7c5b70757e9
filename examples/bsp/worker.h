// SPDX-License-Identifier: Apache-2.0
// One worker: a part of the graph, and threads that share its work.
//
// The first thread leads: it takes the steps from the coordinator, passes them on to its siblings,
// works like them, and arrives at the coordinator's barrier when all of them are through. The first
// thread of worker 0 is the coordinator itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "examples/bsp/algorithm.h"
#include "examples/bsp/job_state.h"

namespace bsp {

class ComputeThread;

// The calling thread's name: bsp-w1t0 is the first thread of worker 1.
void NameThread(WorkerId worker, uint32_t number);

class Worker {
 public:
  // Starts the threads: all, or, with `coordinator`, which is the calling thread's phases, all but
  // the first. `state` must outlive it.
  Worker(JobState& state, WorkerId id, ThreadPhases* coordinator);
  // After a kQuit.
  ~Worker();

  // The coordinator's part as a first thread: its step, until its siblings are through, too.
  void RunStep(Step step) { LeadStep(step, *first_); }

  WorkerId id() const { return id_; }
  const Part& part() const { return state_.parts[id_]; }
  // Its threads' results of the last superstep. Between steps only.
  Totals TakeTotals();

 private:
  friend class ComputeThread;
  struct alignas(64) ThreadTotals {
    Totals totals;
  };

  void Lead();
  void LeadStep(Step step, ComputeThread& first);
  void Follow(uint32_t number);
  void BeginStep(Step step);
  void BeginGather();

  JobState& state_;
  const WorkerId id_;
  const std::string name_;  // its number
  Rendezvous siblings_;
  std::string path_;                      // of its current phase
  std::atomic<size_t> next_ = 0;          // target or vertex that no thread has taken yet
  std::atomic<uint32_t> through_ = 0;     // threads that have no more targets to gather for
  std::vector<ThreadTotals> totals_;      // by thread
  std::unique_ptr<ComputeThread> first_;  // of the coordinator
  std::vector<std::thread> threads_;
};

}  // namespace bsp
