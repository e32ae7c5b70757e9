// SPDX-License-Identifier: Apache-2.0
// Makes a recording of a scenario (analyzer/testing/scenario.h), for tests in Python.
//
// usage: write_scenario FILE DIR
#include <cstdio>
#include <exception>

#include "analyzer/testing/scenario.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_scenario FILE DIR\n");
    return 2;
  }
  gordian::WriteScenario(gordian::ReadScenario(argv[1]), argv[2], 3);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_scenario: %s\n", error.what());
  return 1;
}
