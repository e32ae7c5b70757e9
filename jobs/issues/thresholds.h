// When a change is an issue of a job, and how far it can be trusted (base/threshold.h says how to
// read and move these).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of the makespan. A change that gains less is no issue. Nor are two resources together that
// gain so little more than each alone.
GORDIAN_THRESHOLD(double, kLeastIssueGain, 0.01);

// Share of a wider issue's gain. A narrower one that gains as much tells the same, more exactly.
GORDIAN_THRESHOLD(double, kStandsFor, 0.9);

// Share of a phase's duration. If it lasts as long without the delays within, they were waiting,
// and would only hide the gain of a change; the rest is a short phase's own overhead.
GORDIAN_THRESHOLD(double, kLastsWithoutDelays, 0.9);

// Nanoseconds. Clocks and rounded logs differ by as much: a phase that starts this much before the
// end of its predecessor does not contradict the model.
GORDIAN_THRESHOLD(uint64_t, kOrderToleranceNs, 10'000'000);

// Phases of one group. Of fewer no phase can stand out.
GORDIAN_THRESHOLD(size_t, kFewestCompared, 3);
// Times the median of all. A phase that lasts no longer is no outlier.
GORDIAN_THRESHOLD(double, kWorthALook, 1.4);
// Times the distance of the others' quartiles that an outlier lies above the upper one, as in a box
// plot …
GORDIAN_THRESHOLD(double, kOutlierQuartiles, 1.5);
// … and times the others' median, as boxes can be very narrow.
GORDIAN_THRESHOLD(double, kOutlierMedians, 1.5);

// Factors of an issue's confidence, by how much a doubt takes away. They rank issues, and are told
// in words: nothing calibrates them.
GORDIAN_THRESHOLD(double, kSlightDoubt, 0.9);
GORDIAN_THRESHOLD(double, kClearDoubt, 0.8);
GORDIAN_THRESHOLD(double, kStrongDoubt, 0.7);
// The gain supposes as much of a resource as phases could take, which no machine has.
GORDIAN_THRESHOLD(double, kDoubtOfAnyAmount, 0.6);

// Share of a resource's use that records measured. With less it is mostly estimated from samples …
GORDIAN_THRESHOLD(double, kMostlyMeasured, 0.5);
// … coarsely, where a sample covers more timeslices than this (jobs/accuracy tells the error).
GORDIAN_THRESHOLD(double, kCoarseSampleSlices, 8);
// Share of the timeslices of which use is known. With less, the unknown timeslices may matter.
GORDIAN_THRESHOLD(double, kMostlyCovered, 0.9);
// Share of the makespan. More time between phases than this could be anything.
GORDIAN_THRESHOLD(double, kMuchUnexplained, 0.2);

}  // namespace gordian
