// SPDX-License-Identifier: Apache-2.0
// How far a stretch of a recording can be trusted to tell what its target waited for.
//
// A trace that is whole says of each moment who is at work: some thread of the target, or what its
// waiting threads wait for. Where it does not, what the analysis says is about the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// Of the threads of the target, within the range.
struct RecordingQuality {
  uint64_t range_ns = 0;
  uint64_t threads_ns = 0;  // what they lived, in all
  uint64_t unknown_ns = 0;  // of it, with an unknown state: holes
  uint64_t waits = 0;       // that ended within the range, and their time in it
  uint64_t waits_ns = 0;
  uint64_t waits_without_cause = 0;  // of these: nothing tells who ended them
  uint64_t waits_without_cause_ns = 0;
  uint64_t open_waits = 0;  // that go on at the range's end: not known yet, and no fault
  // Stretches in which all threads waited, some of these waits ended without a known cause, and
  // nothing was under way: no disk request, no message, no timer, no thread that they waited for.
  uint64_t stalls = 0;
  uint64_t stalled_ns = 0;
  uint64_t longest_stall_ns = 0;
  bool operator==(const RecordingQuality&) const = default;
};

// O(segments of the target's threads in the range, and disk requests in it).
// The same for any number of `threads` of this process.
RecordingQuality QualityOf(const Timeline& timeline, std::span<const uint8_t> is_target,
                           uint64_t from_ns, uint64_t to_ns, int threads = 1);

// False if the graph of the range, which was made of the timeline's waits, shows that nothing will
// be worth telling: no more time is in doubt than the target's threads had an unknown state and
// waited for unknown causes. Then nobody need walk over all segments.
bool MayBeWorthTelling(const WaitForGraph& graph, std::span<const uint8_t> is_target);

// What is worth telling: target_unknown_ns, target_waits_without_cause_ns, target_stalled_ns
// (trace/counters.h). Losses, and clocks that contradict each other, are counters of the timeline
// and of the joined nodes already.
std::vector<NamedCount> CountersOf(const RecordingQuality& quality);

}  // namespace gordian
