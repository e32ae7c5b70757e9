// SPDX-License-Identifier: Apache-2.0
// What a program tells by itself: its counts, and its phases, with the times of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "trace/session_reader.h"

namespace gordian {

struct ToldCounts {
  // In recorded time, in order. By the words of --progress: "probe done", "syscall accept4".
  std::map<std::string, std::vector<uint64_t>> counts;
  // By name: how long each was, in the order of their ends. Pauses are left out.
  std::map<std::string, std::vector<uint64_t>> phases;
};

// One pass over all events. Names beyond the first thousand of a kind are not told: nobody means
// them, and a hostile recording could hold any number.
ToldCounts ReadToldCounts(const Timeline& timeline, SessionReader& session);

}  // namespace gordian
