// SPDX-License-Identifier: Apache-2.0
// Facts about a process from /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "symbols/symbols.h"

namespace gordian {

struct ProcessFacts {
  std::string folder;  // /proc/PID
  uint64_t start_time_ticks = 0;
  int pid_in_namespace = 0;
  std::optional<uint32_t> effective_user;
};

// Nothing if there is no such process, or `start_time_ticks` is not 0 and another one has its pid.
std::optional<ProcessFacts> FindProcess(const SymbolPaths& paths, int pid,
                                        uint64_t start_time_ticks);

}  // namespace gordian
