// SPDX-License-Identifier: Apache-2.0
// Who made this wait so long, and what limits this range: critical paths and slices as pictures
// draw them.
//
//   WhyWait      the path back from the end of a wait over its time: who made it so long? Its
//                stretches add up to the wait.
//   PathWithin   the path back from a thread's last moment of a range: what each moment waited for
//   SliceFrom    all that led to a moment, or that it led to
//
// Times are since the recording's start.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/recorded_phases.h"
#include "causes/causes.h"
#include "participation/recorded_participation.h"

namespace gordian {

// A picture shows no more, and names no more.
inline constexpr size_t kMostWhyStretches = 4'000;
inline constexpr size_t kMostWhyParts = 40;

struct WhyStretch {
  EntityId thread = kNobody;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  RecordedActivity activity = RecordedActivity::kUnknown;  // of a path
};

struct WhyPart {
  EntityId thread = kNobody;
  RecordedActivity activity = RecordedActivity::kUnknown;  // of a path
  uint64_t ns = 0;
  uint64_t stretches = 0;
};

struct WhyAnswer {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;          // where the path ends
  std::vector<WhyPart> parts;  // most time first, at most kMostWhyParts
  uint64_t parts_left_out = 0;
  std::vector<WhyStretch> stretches;  // in order of time, the longest kMostWhyStretches
  uint64_t stretches_left_out = 0;
  uint64_t all_ns = 0;  // of all stretches
};

// `thread`: where the path ends. kNobody: the first thread of the target that was on its way last.
// InvalidArgument, with a line for the user, without a path.
absl::StatusOr<WhyAnswer> PathWithin(const Timeline& timeline, const RecordedPhases& phases,
                                     EntityId thread, uint64_t from_ns, uint64_t to_ns,
                                     int threads);

// Of the wait or spin of the thread at that moment. NotFound if it does not wait then, or its end
// was not recorded.
absl::StatusOr<WhyAnswer> WhyWait(const Timeline& timeline, const RecordedPhases& phases,
                                  EntityId thread, uint64_t at_ns, int threads);

// Cancelled if it was asked to stop.
absl::StatusOr<WhyAnswer> SliceFrom(const ExecutionGraph& graph, const SliceRequest& request,
                                    int threads, const std::function<bool()>& stop_asked);

}  // namespace gordian
