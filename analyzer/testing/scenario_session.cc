// SPDX-License-Identifier: Apache-2.0
// scenario_session SCENARIO.txt DIR: writes a recording told as text (analyzer/testdata) as a
// session.
#include <cstdio>

#include "analyzer/testing/scenario.h"

int main(int argc, char** argv) {
  constexpr int kUsageError = 2;
  constexpr size_t kEventsPerBlock = 1000;
  if (argc != 3) {
    std::fprintf(stderr, "usage: scenario_session SCENARIO.txt DIR\n");
    return kUsageError;
  }
  gordian::WriteScenario(gordian::ReadScenario(argv[1]), argv[2], kEventsPerBlock);
  return 0;
}
