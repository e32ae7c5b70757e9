// SPDX-License-Identifier: Apache-2.0
// A slice as a trace for the Perfetto UI.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "causes/causes.h"
#include "output/perfetto_trace.h"

namespace gordian {

// A track for every thread in the slice, with its states while it was in it. Arrows lead along the
// edges by which threads came in, from the cause to the effect.
void WritePerfettoSlice(const Timeline& timeline, const Slice& slice, bool forward,
                        PerfettoTrace& trace);

}  // namespace gordian
