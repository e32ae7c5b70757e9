// SPDX-License-Identifier: Apache-2.0
// The state of a job that the coordinator and all workers share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "examples/bsp/algorithm.h"
#include "examples/bsp/graph.h"
#include "examples/bsp/job.h"
#include "examples/bsp/messages.h"
#include "examples/bsp/partition.h"
#include "examples/bsp/phase_log.h"
#include "examples/bsp/rendezvous.h"
#include "examples/bsp/safepoint.h"

namespace bsp {

// The steps of a superstep, as tasks of a Rendezvous. No worker begins one before all have ended
// the one before.
enum Step : uint32_t { kQuit = 1, kGather, kExchange, kCompute, kScatter };

struct JobState {
  JobState(const Options& job_options, PhaseLog& phase_log);

  const Options& options;
  PhaseLog& log;
  std::unique_ptr<Algorithm> algorithm;

  Graph graph;
  std::vector<uint32_t> out_degrees;
  std::vector<WorkerId> owners;
  std::vector<Part> parts;

  // By vertex; in a cluster each worker would have those of its own vertices, and here too no
  // worker touches others'.
  std::vector<double> values;
  std::vector<double> shares;
  std::vector<std::atomic<double>> gathered;

  Network network;
  Safepoint safepoint;
  std::mutex delivery_lock;  // --lock
  Rendezvous barrier;        // led by worker 0's first thread, followed by those of the others

  // Set by the coordinator between steps.
  uint32_t superstep = 0;
  std::string step_path;
  Totals totals;                   // of the superstep before
  uint64_t left_for_exchange = 0;  // of all supersteps

 private:
  void Load();
};

}  // namespace bsp
