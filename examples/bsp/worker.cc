// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/worker.h"

#include <pthread.h>

#include "examples/bsp/compute_thread.h"

namespace bsp {

void NameThread(WorkerId worker, uint32_t number) {
  const std::string name = "bsp-w" + std::to_string(worker) + "t" + std::to_string(number);
  pthread_setname_np(pthread_self(), name.c_str());  // at most bsp-w63t63
}

Worker::Worker(JobState& state, WorkerId id, ThreadPhases* coordinator)
    : state_(state),
      id_(id),
      name_(std::to_string(id)),
      siblings_(state.options.threads - 1),
      totals_(state.options.threads) {
  if (coordinator != nullptr) {
    first_ = std::make_unique<ComputeThread>(state_, *this, 0, *coordinator);
  } else {
    threads_.emplace_back([this] { Lead(); });
  }
  for (uint32_t number = 1; number < state_.options.threads; ++number) {
    threads_.emplace_back([this, number] { Follow(number); });
  }
}

Worker::~Worker() {
  if (first_ != nullptr) siblings_.Start(kQuit);
  for (std::thread& thread : threads_) thread.join();
}

void Worker::Lead() {
  NameThread(id_, 0);
  ThreadPhases phases(state_.log);
  ComputeThread compute(state_, *this, 0, phases);
  for (uint32_t round = 0;; ++round) {
    const Step step = static_cast<Step>(state_.barrier.WaitForStart(round));
    if (step == kQuit) break;
    LeadStep(step, compute);
    state_.barrier.Arrive();
  }
  siblings_.Start(kQuit);
}

void Worker::LeadStep(Step step, ComputeThread& first) {
  const PhaseScope phase(first.phases(), state_.step_path, "Worker", name_);
  path_ = first.phases().path();
  BeginStep(step);
  siblings_.Start(step);
  first.Run(step);
  siblings_.WaitForAll();
}

void Worker::Follow(uint32_t number) {
  NameThread(id_, number);
  ThreadPhases phases(state_.log);
  ComputeThread compute(state_, *this, number, phases);
  for (uint32_t round = 0;; ++round) {
    const Step step = static_cast<Step>(siblings_.WaitForStart(round));
    if (step == kQuit) return;
    compute.Run(step);
    siblings_.Arrive();
  }
}

void Worker::BeginStep(Step step) {
  next_ = 0;
  if (step == kGather) BeginGather();
}

// With --hold-back the network is late for one worker in each superstep, for one after the other:
// nothing is delivered to it until the last of its threads has sent everything and is about to go
// to the barrier, where its siblings are already. In a cluster chance brings that about now and
// then.
void Worker::BeginGather() {
  through_ = 0;
  if (!state_.options.hold_back || state_.superstep % state_.options.workers != id_) return;
  state_.network.InboxOf(id_).HoldBack();
}

Totals Worker::TakeTotals() {
  Totals sum;
  for (ThreadTotals& thread : totals_) {
    sum.dangling += thread.totals.dangling;
    sum.changed += thread.totals.changed;
    sum.left_for_exchange += thread.totals.left_for_exchange;
    thread.totals = {};
  }
  return sum;
}

}  // namespace bsp
