// SPDX-License-Identifier: Apache-2.0
// Recordings of one program that are never quite the same, as runs are.
#pragma once

#include <cstdint>

#include "tests/support/trace_builder.h"

namespace gordian::testing {

struct VaryingLoad {
  uint64_t sync_ns = 5'000'000;  // the mean time of a sync
  uint32_t seed = 1;
  int requests = 300;
  bool counts = true;  // each request as probe `done`
};

// A waits for B, which works 5 ms and syncs to vda. All times vary by a fifth.
TraceBuilder VaryingTrace(const VaryingLoad& load);

}  // namespace gordian::testing
