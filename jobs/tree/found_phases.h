// SPDX-License-Identifier: Apache-2.0
// Phases as sources tell of them, before the tree is known. Inner to the library.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/job/job.h"
#include "jobs/tree/text_numbers.h"

namespace gordian {

inline constexpr uint64_t kNoEnd = std::numeric_limits<uint64_t>::max();

struct FoundPhase {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;  // kNoEnd while no source tells it
  PhaseTypeId type = 0;
  uint32_t keys = 0;  // where in FoundPhases::keys they begin, from the root's to its own
  uint32_t node = 0;  // a text's number
  int32_t pid = 0;
  int32_t tid = 0;
  uint32_t parent = kNoId;   // an index of a found phase
  bool parent_told = false;  // by the source itself
  bool implied = false;      // only phases within told of it
  bool end_assumed = false;
  bool dropped = false;
};

struct FoundBlocked {
  FoundPhase where;        // its times; its type, keys and place tell which phases
  uint32_t phase = kNoId;  // or this found phase
  ResourceId resource = 0;
};

struct FoundPhases {
  std::vector<FoundPhase> phases;
  std::vector<uint32_t> keys;
  std::vector<FoundBlocked> blocked;
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> after;  // found phases, where told
  TextNumbers texts;
  uint64_t last_time_ns = 0;  // that anything told

  std::span<const uint32_t> KeysOf(const FoundPhase& phase, size_t depth) const {
    return {keys.data() + phase.keys, depth + 1};
  }
};

}  // namespace gordian
