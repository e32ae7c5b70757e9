// SPDX-License-Identifier: Apache-2.0
// The contents of session.pb: filled at the start, kept up while the recording runs.
#pragma once

#include <cstdint>

#include "recorder/probes/probe_source.h"
#include "recorder/recording/recording.h"
#include "schema/session.pb.h"
#include "symbols/symbols.h"

namespace gordian {

class KernelPrograms;
struct UnwindMaps;

// Host, options, hooks and the first pair of clocks.
pb::Session DescribeRecording(const RecordingOptions& options, const KernelPrograms& programs,
                              uint64_t start_ns);

// Adds a pair of clocks. Of a recording of days only so many are kept: the first, the newest, and
// some evenly between.
void NoteClocks(pb::Session& session);

// Replaces the counters that the kernel side keeps: records produced and lost per kind, and
// programs skipped.
void NoteKernelCounters(const KernelPrograms& programs, pb::Session& session);

// The same of a recording with widened windows (RecordingOptions.test_window_rounds).
void NoteTestWindows(const KernelPrograms& programs, pb::Session& session);

// Replaces the counters of following user stacks, the kernel side's and the tables'.
void NoteUnwindCounters(const UnwindMaps& maps, const SymbolCounters& counters,
                        pb::Session& session);

// Replaces the counters of programs' own probes.
void NoteProbeCounters(const ProbeCounts& counts, pb::Session& session);

}  // namespace gordian
