// SPDX-License-Identifier: Apache-2.0
// The work of a worker's thread in each step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/bsp/job_state.h"
#include "examples/bsp/worker.h"

namespace bsp {

class ComputeThread {
 public:
  // `phases` are those of the thread it is used on.
  ComputeThread(JobState& state, Worker& worker, uint32_t number, ThreadPhases& phases);

  ThreadPhases& phases() { return phases_; }
  void Run(Step step);

 private:
  void Gather();
  void Exchange();
  void Compute();
  void Scatter();

  // The next stretch of [0, size) that no thread has taken yet; false: all are taken.
  bool TakeBlock(size_t size, size_t& begin, size_t& end);
  void GatherFor(size_t target);
  void SendOutbox(WorkerId to);
  void HandlePending();
  void Handle(const Batch& batch);
  void Deliver(const Batch& batch);

  // Call it often: it stops here while a collection goes on.
  void Poll();
  void EnterSafepoint();

  JobState& state_;
  Worker& worker_;
  const uint32_t number_;
  ThreadPhases& phases_;
  std::vector<Batch> outboxes_;  // by worker
  uint64_t worked_ = 0;
};

}  // namespace bsp
