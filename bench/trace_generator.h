// SPDX-License-Identifier: Apache-2.0
// Makes recordings of any size whose threads work together as those of real programs do, by playing
// a small machine: pipelines with bounded queues, crowds at a lock, rounds with a barrier.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace gordian {

struct TraceShape {
  uint64_t events = 0;  // about
  int threads = 64;
  int cpus = 8;
  uint32_t seed = 1;
};

// Writes a session to `directory`, which must not exist or be empty. The same shape makes the same
// session.
absl::Status GenerateTrace(const TraceShape& shape, const std::string& directory);

}  // namespace gordian
