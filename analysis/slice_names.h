// SPDX-License-Identifier: Apache-2.0
// What slices and critical paths of a recording are called, and where paths end. Shared by the
// verb and by SQL, so that both give the same answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/recorded_phases.h"
#include "analyzer/stacks/stacks.h"
#include "causes/slice_rows.h"
#include "participation/recorded_participation.h"
#include "report/time_range.h"

namespace gordian {

// Clean text. Of a recording of many nodes: "node/thread".
std::string SliceThreadLabel(const Timeline& timeline, EntityId id);
// All arguments must outlive them.
SliceNames SliceNamesOf(const Timeline& timeline, const RecordedPhases& phases, const Code& code);

// By thread: those of the target, or, without a target, all but the recorder and the kernel; these
// also with `whole`, whatever the target is.
std::vector<uint8_t> EndsOfCriticalPaths(const Timeline& timeline, bool whole = false);
// The path back from the first of these threads that was on its way last
// (WindowParticipation::path).
WindowParticipation CriticalPathWithin(const Timeline& timeline, const RecordedPhases& phases,
                                       std::span<const uint8_t> is_end, const TimeRange& range,
                                       int threads);

}  // namespace gordian
