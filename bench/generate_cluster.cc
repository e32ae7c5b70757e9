// SPDX-License-Identifier: Apache-2.0
// Makes recordings of a simulated cluster (simulated_cluster.h).
//
// usage: simulated_cluster NODES EVENTS_PER_NODE DIR [options]

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "bench/simulated_cluster.h"

namespace {

void AddOptions(CLI::App& app, gordian::SimulatedShape& shape) {
  using gordian::SimulatedLimit;
  const std::map<std::string, SimulatedLimit> limits = {{"lock", SimulatedLimit::kLock},
                                                        {"disk", SimulatedLimit::kDisk},
                                                        {"cpu", SimulatedLimit::kCpu},
                                                        {"link", SimulatedLimit::kLink}};
  app.add_option("--threads", shape.threads, "threads of all nodes together");
  app.add_option("--cpus", shape.cpus_per_node, "of each node");
  app.add_option("--services", shape.services, "that ask each other in a row");
  app.add_option("--limit", shape.limit, "lock, disk, cpu or link")
      ->transform(CLI::CheckedTransformer(limits));
  app.add_option("--limit-service", shape.limit_service, "whose lock or CPUs: from 0");
  app.add_option("--seed", shape.seed, "the same one makes the same cluster");
  app.add_flag("!--no-hand-overs", shape.tells_hand_overs, "do not write hand_overs.bin");
  gordian::SimulatedDisturbances& disturbed = shape.disturbances;
  app.add_option("--pausing", disturbed.pausing, "nodes whose recorder pauses")->delimiter(',');
  app.add_option("--losing", disturbed.losing, "nodes that lose records")->delimiter(',');
  app.add_option("--wrong-clock", disturbed.wrong_clocks, "nodes whose clock was measured wrongly")
      ->delimiter(',');
  app.add_option("--absent", disturbed.absent, "nodes without a recording")->delimiter(',');
  app.add_option("--old", disturbed.old, "nodes with an older recorder")->delimiter(',');
  app.add_option("--rack", disturbed.nodes_per_rack, "nodes in a rack, behind which is NAT");
  app.add_option("--packets-lost", disturbed.packets_lost, "share that is sent again");
}

}  // namespace

int main(int argc, char** argv) try {
  gordian::SimulatedShape shape;
  std::string directory;
  CLI::App app("Makes recordings of a simulated cluster, and tells the truth beside.");
  app.add_option("NODES", shape.nodes, "1 to 1024")->required();
  app.add_option("EVENTS", shape.events_per_node, "events of a node, on average")->required();
  app.add_option("DIR", directory, "a folder that is empty or not there")->required();
  AddOptions(app, shape);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto made = gordian::GenerateSimulatedCluster(shape, directory);
  if (!made.ok()) {
    std::fprintf(stderr, "simulated_cluster: %s\n", std::string(made.status().message()).c_str());
    return 1;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu events of %.3f s in %.2f s, %.2f million a second\n",
              static_cast<unsigned long long>(made->events),
              static_cast<double>(made->end_ns - gordian::kSimulatedStartNs) / 1e9, seconds,
              static_cast<double>(made->events) / 1e6 / seconds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "simulated_cluster: %s\n", error.what());
  return 1;
}
