// SPDX-License-Identifier: Apache-2.0
// How much memory this process may still take before its cgroup's limit: a service's MemoryMax=.
#pragma once

#include <cstdint>
#include <optional>

#include "recorder/sources/system_paths.h"

namespace gordian {

struct MemoryLimit {
  uint64_t limit_bytes = 0;
  uint64_t left_bytes = 0;  // memory that the kernel can take back from cached files counts as left
};

// The tightest limit on the way from this process's cgroup (v2) to the root; nothing if there is no
// limit, or no limit can be read.
std::optional<MemoryLimit> ReadMemoryLimit(const SystemPaths& paths);

}  // namespace gordian
