// SPDX-License-Identifier: Apache-2.0
// Finds phases of a type by keys, place and time. Inner to the library.
//
// Phases of a type lie in rows, one for each key and one for all, by their beginnings; each entry
// knows the latest end up to it. A search begins at the last beginning before the wanted time and
// goes back until no earlier phase can reach that time. It looks at kMaxSteps phases at most, so
// that no log makes it slow. That matters only if thousands of phases of a type run at a time, and
// no phase has the wanted keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/tree/found_phases.h"
#include "jobs/tree/phase_types.h"

namespace gordian {

class PhaseSearch {
 public:
  static constexpr size_t kMaxSteps = 4096;

  // Over the phases of `ids`, which all have that type. `found` must outlive it.
  PhaseSearch(const PhaseTypes& types, const FoundPhases& found, PhaseTypeId type,
              std::vector<uint32_t> ids);

  struct Answer {
    uint32_t phase = kNoId;    // the latest that was under way when `inner` began, or else the
                               // first that began before it ended
    bool only_others = false;  // no phase, although some have fitting keys and place
  };
  Answer Around(const FoundPhase& inner) const;
  // All that have a part in the time of `inner`, newest beginning first.
  std::vector<uint32_t> Overlapping(const FoundPhase& inner) const;

 private:
  struct Row {
    std::span<const uint32_t> ids;
    std::span<const uint64_t> latest_end_ns;
  };
  struct Range {
    uint32_t begin, end;
  };
  Row RowOf(Range range) const {
    return {std::span(ids_).subspan(range.begin, range.end - range.begin),
            std::span(latest_end_ns_).subspan(range.begin, range.end - range.begin)};
  }
  Row RowFor(const FoundPhase& inner) const;
  uint32_t KeyOf(uint32_t id) const { return found_.keys[found_.phases[id].keys + depth_]; }
  bool Fits(const FoundPhase& outer, const FoundPhase& inner) const;
  size_t FirstAfter(const Row& row, uint64_t time_ns) const;
  void AddRow(std::span<const uint32_t> ids);

  const PhaseTypes& types_;
  const FoundPhases& found_;
  PhaseTypeId type_;
  size_t depth_;
  // All rows one behind the other: first that of all phases, then those of the keys.
  std::vector<uint32_t> ids_;
  std::vector<uint64_t> latest_end_ns_;
  Range all_{};
  absl::flat_hash_map<uint32_t, Range> by_key_;
};

}  // namespace gordian
