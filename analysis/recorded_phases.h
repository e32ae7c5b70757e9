// SPDX-License-Identifier: Apache-2.0
// The phases that annotated programs say themselves (probe/), by thread: at each moment the
// innermost. Needs no model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/recording.h"
#include "participation/recorded_participation.h"

namespace gordian {

struct RecordedPhases {
  std::vector<ThreadPhase> phases;  // by thread, then by time, without overlaps
  // Each from its beginning to its end, by thread, then by end.
  std::vector<ThreadPhase> whole;
  std::vector<ThreadPhase> unended;  // … that went on when their thread or the recording ended
  std::vector<std::string> names;    // clean text; [0] stands for no phase
  std::vector<RecordedActivity> activities;  // by name
  uint64_t words_left_out = 0;               // beyond ten million, or with too many different names
};

// In the timeline's time. Phases that go on when the recording ends last until then. What cannot
// be read is passed over: reading the timeline has counted it.
RecordedPhases ReadThreadPhases(const LoadedRecording& recording);

}  // namespace gordian
