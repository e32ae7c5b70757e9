// SPDX-License-Identifier: Apache-2.0
// Slices and critical paths of a recording, asked of its folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "analysis/recorded_phases.h"
#include "analysis/recording.h"
#include "causes/causes.h"
#include "causes/slice_rows.h"
#include "schema/participation.pb.h"
#include "schema/slice.pb.h"

namespace gordian {

struct SliceQuestion {
  std::string thread;             // a name or a number
  std::string node;               // of a recording of many; empty: on whichever it is
  std::optional<uint64_t> at_ns;  // counted from the start, like the range; none: the thread's end,
                                  // or forward its beginning, within the range
  RangeOptions range;
  // Instead of a moment: a phase that a program tells, on the thread if one is named. The range is
  // the phase then, the moment its end (forward: its beginning).
  std::string phase;
  uint32_t phase_number = 0;  // among those of the name that begin within the range, from 1 on; 0:
                              // the longest
  bool whole = false;         // critical paths: not of the target alone
  SliceBy by = SliceBy::kName;
  // All but thread and times.
  SliceRequest request;
};

struct RecordedSlice {
  LoadedRecording recording;
  Slice slice;
  pb::Slice told;
};

// NotFound if no such thread lives then, InvalidArgument if several do or the time is outside of
// the range: each with a line for the user.
absl::StatusOr<RecordedSlice> SliceOfRecording(const std::string& directory,
                                               const SliceQuestion& question,
                                               const AnalysisOptions& options,
                                               const AnalysisProgress& progress = {});

// … of a recording that is read already.
absl::StatusOr<RecordedSlice> SliceIn(LoadedRecording recording, const RecordedPhases& phases,
                                      const SliceQuestion& question, int threads);

// The path back from the last moment of the range at which the thread was on its way. Without a
// thread: the first thread of the target, or, without a target, of all but the recorder and the
// kernel, that was on its way last. It is the one that gordian participation has for that end.
absl::StatusOr<pb::CriticalPath> CriticalPathOfRecording(const std::string& directory,
                                                         const SliceQuestion& question,
                                                         const AnalysisOptions& options,
                                                         const AnalysisProgress& progress = {});

absl::StatusOr<pb::CriticalPath> CriticalPathIn(const LoadedRecording& recording,
                                                const RecordedPhases& phases,
                                                const SliceQuestion& question, int threads);

}  // namespace gordian
