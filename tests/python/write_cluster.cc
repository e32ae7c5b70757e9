// SPDX-License-Identifier: Apache-2.0
// Makes recordings of three nodes that send messages to each other, for tests in Python.
//
// usage: write_cluster EVENTS DIR
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/cluster_generator.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_cluster EVENTS DIR\n");
    return 2;
  }
  const auto made =
      gordian::GenerateCluster({.events = std::strtoull(argv[1], nullptr, 10)}, argv[2]);
  if (!made.ok()) std::fprintf(stderr, "write_cluster: %s\n", made.status().ToString().c_str());
  return made.ok() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_cluster: %s\n", error.what());
  return 1;
}
