// SPDX-License-Identifier: Apache-2.0
// A graph-processing job in the style of Pregel and PowerGraph: workers with a part of the graph
// each, supersteps, messages between the parts, barriers. It is small enough to read, and real
// enough to be slow for the usual reasons of such jobs. Switches put in the troubles.
//
//   bsp --algorithm pagerank --workers 2 --threads 2 --late-messages --log bsp.log
//
// Begin reading with job.cc (what happens in which order), then compute_thread.cc (what a thread
// does in each step). Everything runs in one process; a worker stands for a node of a cluster.
#include <errno.h>
#include <string.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "examples/bsp/job.h"

namespace {

void AddOptions(CLI::App& app, bsp::Options& options, std::string& log) {
  app.add_option("--algorithm", options.algorithm, "What to compute: pagerank or sssp")
      ->check(CLI::IsMember({"pagerank", "sssp"}))
      ->capture_default_str();
  app.add_option("--vertices", options.vertices, "Vertices of the graph")
      ->check(CLI::Range(1, 1 << 26))
      ->capture_default_str();
  app.add_option("--edges-per-vertex", options.edges_per_vertex, "Edges for each of them")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  app.add_option("--workers", options.workers, "Parts of the graph, each with threads of its own")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads of each worker")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--supersteps", options.supersteps, "How many at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Another graph")->capture_default_str();
  app.add_option("--log", log, "Write phases and what blocked them to this file (JSON lines)");
}

void AddSwitches(CLI::App& app, bsp::Options& options) {
  const auto group = app.add_option_group("What can go wrong");
  group->add_flag("--skew", options.skew, "The first worker has most of the edges");
  group->add_flag("--lock", options.lock, "One lock around all message delivery");
  group->add_flag("--gc", options.gc, "All threads stop every so often");
  group->add_flag("--late-messages", options.late_messages,
                  "Threads receive until nothing comes before they go to the barrier, and messages "
                  "come late (includes --hold-back); needs --threads 2 or more");
  group->add_flag("--hold-back", options.hold_back,
                  "Only messages come late, one worker's in each superstep");
}

void AddDetails(CLI::App& app, bsp::Options& options) {
  const auto group = app.add_option_group("Details");
  group->add_option("--gc-every-ms", options.gc_every_ms, "From one collection to the next")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str();
  group->add_option("--gc-pause-ms", options.gc_pause_ms, "CPU time of a collection")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str();
  group->add_option("--queue-batches", options.batches_per_link, "What fits into a link")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  group->add_option("--batch-messages", options.messages_per_batch, "Messages of a batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  group->add_option("--edge-work", options.edge_work, "Rounds of computing for each edge")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  group->add_option("--message-work", options.message_work, "Rounds of unpacking for each message")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
}

int Run(bsp::Options options, const std::string& log_path) {
  options.hold_back = options.hold_back || options.late_messages;
  bsp::PhaseLog log;
  const auto start = std::chrono::steady_clock::now();
  const bsp::Result result = bsp::RunJob(options, log);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!log.Write(log_path)) {
    std::fprintf(stderr, "bsp: cannot write %s: %s\n", log_path.c_str(), strerror(errno));
    return 1;
  }
  if (!result.wrong.empty()) {
    std::fprintf(stderr, "bsp: wrong result: %s\n", result.wrong.c_str());
    return 1;
  }
  std::printf("bsp: %s of %u vertices on %u x %u threads: %u supersteps%s in %.2f s, checked\n",
              options.algorithm.c_str(), options.vertices, options.workers, options.threads,
              result.supersteps, result.done ? ", done," : "", took.count());
  return 0;
}

int ParseAndRun(int argc, char** argv) {
  bsp::Options options;
  std::string log_path;
  CLI::App app("A graph-processing job with supersteps, and with what can make it slow", "bsp");
  AddOptions(app, options, log_path);
  AddSwitches(app, options);
  AddDetails(app, options);
  try {
    app.parse(argc, argv);
    if (options.late_messages && options.threads < 2) {
      throw CLI::ValidationError("--late-messages", "needs --threads 2 or more");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Run(options, log_path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return ParseAndRun(argc, argv);
  } catch (const std::exception& error) {  // no memory for such a graph, no more threads
    std::fprintf(stderr, "bsp: %s\n", error.what());
    return 1;
  }
}
