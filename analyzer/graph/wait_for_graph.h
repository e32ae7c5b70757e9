// SPDX-License-Identifier: Apache-2.0
// The graph of which thread waits for which, made of a recording's waits.
//
//   timeline   what every thread did at every moment        analyzer/timeline
//   waits      who waits for whom, and when                  analyzer/waits
//   devices    how busy disks and interfaces were            analyzer/devices
//   cascade    how much waits weigh, those behind included   analyzer/cascade
//   sums       all of these by windows of time               analyzer/sums
//
// Usage:
//   auto timeline = LoadTimeline(**session, {}, progress);
//   const Waits waits(*timeline, {});
//   WaitForGraph graph = BuildWaitForGraph(waits, {});
//
// Of several ranges:
//   const WindowSums sums(waits, {});
//   WaitForGraph graph = GraphOver(waits, sums.view(), {.from_ns = …, .to_ns = …});
#pragma once

#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "analyzer/sums/window_sums.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// See Timeline::Load.
absl::StatusOr<Timeline> LoadTimeline(SessionReader& session, const TimelineOptions& options = {},
                                      const Progress& progress = {});

struct WaitForGraphOptions {
  uint64_t from_ns = 0;  // only time within [from_ns, to_ns) counts; clipped to the recording
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
  int threads = 0;  // 0: as many as there are CPUs
};

// Ids are those of the waits: the timeline's, and virtual threads behind them. Merged threads stay
// in `entities` with `merged_into` set and have no edges. All times of entities are those within
// the range. The result is the same, to the nanosecond, for any number of threads and any sums of
// these waits: windows inside of the range are added, and what they leave of it is swept. So it
// costs those windows, at most two windows' sweep, and a little for each entity. A range that is
// not all within what the sums cover is swept as a whole.
WaitForGraph GraphOver(const Waits& waits, const WindowSumsView& sums,
                       const WaitForGraphOptions& options = {}, const Progress& progress = {});

// Without sums, as they would serve one range only.
WaitForGraph BuildWaitForGraph(const Waits& waits, const WaitForGraphOptions& options = {},
                               const Progress& progress = {});
// For a timeline whose waits have no other use.
WaitForGraph BuildWaitForGraph(const Timeline& timeline, const WaitForGraphOptions& options = {});

// The single waits behind an edge of that graph, clipped to the range, in order of time. For idle
// edges of disks: all idle stretches of the disk, regardless of the thread that ended them. If `to`
// is kNobody: all waits of `from`, also those that had not ended with the recording.
std::vector<Wait> WaitsOfEdge(const Waits& waits, EntityId from, EntityId to,
                              const WaitForGraphOptions& options = {});

}  // namespace gordian
