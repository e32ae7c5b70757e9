// SPDX-License-Identifier: Apache-2.0
// The use of a job's phases, measured: from the records of threads on CPUs, and of the bytes that
// threads issued. Nothing here is estimated.
//
// The owner. At every moment, a thread's use belongs to
// 1. a phase of its own: the innermost phase that is bound to the thread, or, where that lies
//    deeper in the tree, to the thread's process. If several are innermost at once (two tasks of
//    one process, side by side) they cannot be told apart: it belongs to the innermost phase that
//    holds them all.
// 2. else the phase it helps: the thread was last woken, or born, by a thread that was in a phase
//    of its own at that moment, and has not slept since. When that phase ends earlier, later use
//    belongs to the phase around it. Only one step: a thread woken by a helper helps no phase.
// 3. else to no phase: it is unattributed.
// So for each resource, own use + use by helpers + unattributed use is all use, exactly.
//
// Time on a CPU is run time and spinning. Bytes count when they are issued or sent, for the thread
// that did so; received bytes have no thread and are unattributed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/job/job.h"
#include "jobs/job/thresholds.h"

namespace gordian {

enum class MeasuredKind : uint8_t { kCpu, kDiskRead, kDiskWrite, kSent, kReceived };

// A row for each phase and timeslice with use, in order of phases, then of slices.
struct UseRows {
  std::vector<PhaseId> phases;
  std::vector<uint32_t> slices;
  std::vector<uint64_t> amounts;

  size_t size() const { return phases.size(); }
};

// Without that of the phases within, but for `with_children`.
struct PhaseUse {
  uint64_t own = 0;
  uint64_t helpers = 0;
  uint64_t with_children = 0;  // own and helpers', of it and all phases within it
};

// Amounts are nanoseconds of CPU time (of all CPUs together), or bytes.
struct MeasuredResource {
  MeasuredKind kind = MeasuredKind::kCpu;
  EntityId device = kNobody;  // of the timeline
  std::string name;           // cpu, vda, eth0
  UseRows own;
  UseRows helpers;
  std::vector<uint64_t> unattributed;  // by timeslice
  std::vector<PhaseUse> totals;        // by phase
};

struct PhaseMeasurement {
  // Slice i is [start_ns + i * slice_ns, … + slice_ns); the last may end later than end_ns.
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint64_t slice_ns = 0;
  uint32_t slices = 0;
  std::vector<MeasuredResource> resources;  // the CPUs first, then devices that were used

  // When the recording paused, in order: the use then is not known.
  std::vector<std::pair<uint64_t, uint64_t>> pauses;

  // By phase. Whether its use is known (except in pauses): it lies within the range, and threads of
  // it were met; or it is bound to no place and this holds for all phases within. Other phases have
  // only estimates.
  std::vector<bool> measured;
  // Of the time of its own threads, without the phases within: time with an unknown state.
  std::vector<uint64_t> unknown_ns;
};

struct MeasureOptions {
  uint64_t slice_ns = kTimesliceNs;
  uint64_t from_ns = 0;  // only use within [from_ns, to_ns) counts; clipped to the recording
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
  // The recorded one: phases that name another are not looked at; empty: all are. Of a recording of
  // many nodes the one that is measured.
  std::string node;
  int threads = 0;  // 0: as many as there are CPUs; the result does not depend on it
};

// The job's times are those of the recording's clock. Takes time in proportion to segments and
// phases (times the depth of their tree), memory in proportion to rows.
PhaseMeasurement MeasureUse(const Timeline& timeline, const Job& job,
                            const MeasureOptions& options = {});

}  // namespace gordian
