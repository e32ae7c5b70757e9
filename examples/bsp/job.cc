// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/job.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "examples/bsp/collector.h"
#include "examples/bsp/job_state.h"
#include "examples/bsp/worker.h"

namespace bsp {
namespace {

using Workers = std::vector<std::unique_ptr<Worker>>;

void RunStep(JobState& state, ThreadPhases& phases, Workers& workers, const char* name, Step step) {
  const PhaseScope phase(phases, phases.path(), name);
  state.step_path = phases.path();
  state.barrier.Start(step);
  workers[0]->RunStep(step);
  state.barrier.WaitForAll();
}

// The values that all workers have to agree on before the next superstep.
void CombineTotals(JobState& state, Workers& workers) {
  state.totals = {};
  for (const std::unique_ptr<Worker>& worker : workers) {
    const Totals totals = worker->TakeTotals();
    state.totals.dangling += totals.dangling;
    state.totals.changed += totals.changed;
    state.left_for_exchange += totals.left_for_exchange;
  }
}

void RunSuperstep(JobState& state, ThreadPhases& phases, Workers& workers) {
  const PhaseScope phase(phases, phases.path(), "Superstep", std::to_string(state.superstep));
  RunStep(state, phases, workers, "Gather", kGather);
  RunStep(state, phases, workers, "Exchange", kExchange);
  RunStep(state, phases, workers, "Compute", kCompute);
  RunStep(state, phases, workers, "Scatter", kScatter);
  const PhaseScope barrier(phases, phases.path(), "Barrier");
  CombineTotals(state, workers);
}

bool RunSupersteps(JobState& state, ThreadPhases& phases) {
  std::optional<Collector> collector;
  if (state.options.gc) {
    collector.emplace(state.safepoint, std::chrono::milliseconds(state.options.gc_every_ms),
                      std::chrono::milliseconds(state.options.gc_pause_ms));
  }
  Workers workers;
  for (WorkerId id = 0; id < state.options.workers; ++id) {
    workers.push_back(std::make_unique<Worker>(state, id, id == 0 ? &phases : nullptr));
  }
  bool done = false;
  while (!done && state.superstep < state.options.supersteps) {
    RunSuperstep(state, phases, workers);
    done = state.algorithm->IsDone(state.totals);
    ++state.superstep;
  }
  state.barrier.Start(kQuit);
  return done;
}

// The vertex with the most edges: from there much can be reached.
Vertex SourceOf(const std::vector<uint32_t>& out_degrees) {
  const auto most = std::max_element(out_degrees.begin(), out_degrees.end());
  return static_cast<Vertex>(most - out_degrees.begin());
}

}  // namespace

JobState::JobState(const Options& job_options, PhaseLog& phase_log)
    : options(job_options),
      log(phase_log),
      gathered(job_options.vertices),
      network(job_options.workers, job_options.batches_per_link),
      barrier(job_options.workers - 1) {
  Load();
}

void JobState::Load() {
  graph = GenerateRmat(options.vertices, options.edges_per_vertex, options.seed);
  out_degrees = OutDegrees(graph);
  algorithm = options.algorithm == "sssp" ? ShortestPaths(SourceOf(out_degrees)) : PageRank();
  owners = options.skew ? PartitionByNumber(graph, options.workers)
                        : PartitionByEdges(graph, options.workers);
  parts = Split(graph, owners, options.workers);
  values.resize(graph.vertices);
  shares.resize(graph.vertices);
  for (Vertex vertex = 0; vertex < graph.vertices; ++vertex) {
    values[vertex] = algorithm->InitialValue(vertex, graph.vertices);
    shares[vertex] = algorithm->Share(values[vertex], true, out_degrees[vertex]);
    if (out_degrees[vertex] == 0) totals.dangling += values[vertex];
    gathered[vertex] = algorithm->Nothing();
  }
}

namespace {

Result Coordinate(const Options& options, PhaseLog& log) {
  ThreadPhases phases(log);
  const PhaseScope job(phases, "", "Job");
  std::unique_ptr<JobState> state;
  {
    const PhaseScope load(phases, phases.path(), "Load");
    state = std::make_unique<JobState>(options, log);
  }
  Result result;
  result.done = RunSupersteps(*state, phases);
  result.supersteps = state->superstep;
  result.left_for_exchange = state->left_for_exchange;
  for (WorkerId worker = 0; worker < options.workers; ++worker) {
    result.batches += state->network.SentTo(worker);
  }
  {
    const PhaseScope check(phases, phases.path(), "Check");
    result.wrong = state->algorithm->Check(state->graph, state->values, result.done);
  }
  result.values = std::move(state->values);
  return result;
}

}  // namespace

// On a thread of its own, so that it has a name like the others.
Result RunJob(const Options& options, PhaseLog& log) {
  Result result;
  std::thread coordinator([&] {
    NameThread(0, 0);
    result = Coordinate(options, log);
  });
  coordinator.join();
  return result;
}

}  // namespace bsp
