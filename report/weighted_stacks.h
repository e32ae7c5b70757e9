// SPDX-License-Identifier: Apache-2.0
// Stacks of all threads with the times that lie on them: the input of flame graph tools, speedscope
// and pprof.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "schema/report.pb.h"

namespace gordian {

struct WeightedStack {
  std::string process;
  std::string thread;
  CodePath path;          // innermost first; empty: no stack was taken of these waits
  std::string waits_for;  // empty: it ran
  double seconds = 0;
  uint64_t samples = 0;
};

// The own waits of each edge of threads, shared out by its stacks: their sum is the edge's own
// time, exactly. Then where threads ran, each sample for its interval. Names are clean text.
std::vector<WeightedStack> WeightedStacks(const pb::Report& report, const StackSums& sums,
                                          const Code& code);

}  // namespace gordian
