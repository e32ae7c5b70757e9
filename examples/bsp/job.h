// SPDX-License-Identifier: Apache-2.0
// The whole job: generates the graph, splits it among the workers, runs supersteps, checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/bsp/partition.h"
#include "examples/bsp/phase_log.h"

namespace bsp {

struct Options {
  std::string algorithm = "pagerank";  // or sssp
  Vertex vertices = 1 << 17;
  uint32_t edges_per_vertex = 16;
  WorkerId workers = 2;
  uint32_t threads = 1;  // of each worker
  uint32_t supersteps = 20;
  uint64_t seed = 1;

  // Troubles that such a job can have.
  bool skew = false;           // split by vertex number: the first worker has most of the edges
  bool lock = false;           // one lock around all message delivery
  bool gc = false;             // all threads stop every so often
  bool late_messages = false;  // threads receive until nothing comes before they go to the barrier

  // Circumstances.
  bool hold_back = false;      // the network delivers late; see Worker::BeginGather
  uint32_t gc_every_ms = 100;  // from the end of one collection to the next
  uint32_t gc_pause_ms = 60;
  uint32_t batches_per_link = 64;
  uint32_t messages_per_batch = 1024;
  // Rounds of work for each edge and each message; stand for a real job's computation, and for
  // unpacking its messages.
  uint32_t edge_work = 24;
  uint32_t message_work = 1024;
};

struct Result {
  std::vector<double> values;  // by vertex
  uint32_t supersteps = 0;
  bool done = false;               // more supersteps would change nothing
  uint64_t batches = 0;            // of messages
  uint64_t left_for_exchange = 0;  // batches that no thread handled while it gathered
  std::string wrong;               // the error that the check found; empty: no error
};

// The options must make sense: main.cc sees to that.
Result RunJob(const Options& options, PhaseLog& log);

}  // namespace bsp
