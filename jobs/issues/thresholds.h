// SPDX-License-Identifier: Apache-2.0
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
// Breaks when moved by 30 %: UnequalGroupsArePooled, ASaturatedResourceGainsUntilTheNextBinds,
// BlockedTimeGoes.
GORDIAN_THRESHOLD(double, kStandsFor, 0.9);

// Share of a phase's duration. If it lasts as long without the delays within, they were waiting,
// and would only hide the gain of a change; the rest is a short phase's own overhead.
// Breaks when moved by 30 %: SequentialPhasesWaitForTheOneBeforeAndConcurrentOnesDoNot,
// APhaseThatUsesNothingIsWaiting, AStepsOwnOverheadDoesNotHideWhoWaitsForWhom.
GORDIAN_THRESHOLD(double, kLastsWithoutDelays, 0.9);

// Nanoseconds. Clocks and rounded logs differ by as much: a phase that starts this much before the
// end of its predecessor does not contradict the model.
GORDIAN_THRESHOLD(uint64_t, kOrderToleranceNs, 10'000'000);

// Phases of one group. Of fewer no phase can stand out.
// Breaks when moved by 30 %: recording bsp-balanced, OfWorkersIsNotToldAgainOfTheirThreads,
// WhatCostsMuchIsTheFirstFindingAndTheVerdict.
GORDIAN_THRESHOLD(size_t, kFewestCompared, 3);
// Times the distance of the others' quartiles that an outlier lies above the upper one, as in a box
// plot …
GORDIAN_THRESHOLD(double, kOutlierQuartiles, 1.5);
// … and times the others' median, as boxes can be very narrow.
// Breaks when moved by 30 %: StandFarAboveAllOthers.
GORDIAN_THRESHOLD(double, kOutlierMedians, 1.5);

// Factors of an issue's confidence, by how much a doubt takes away. They rank issues, and are told
// in words: nothing calibrates them.
// Breaks when moved by 30 %: GainsAreSharesOfTheMakespan.
GORDIAN_THRESHOLD(double, kSlightDoubt, 0.9);
// Breaks when moved by 30 %: EstimatesAreDoubted, AreRankedByWhatTheyGainAndHowSureThatIs.
GORDIAN_THRESHOLD(double, kStrongDoubt, 0.7);
// The gain supposes as much of a resource as phases could take, which no machine has.
// Breaks when moved by 30 %: recording bsp-lock, EstimatesAreDoubted,
// AreRankedByWhatTheyGainAndHowSureThatIs.
GORDIAN_THRESHOLD(double, kDoubtOfAnyAmount, 0.6);

// Share of a resource's use that records measured. With less it is mostly estimated from samples …
GORDIAN_THRESHOLD(double, kMostlyMeasured, 0.5);
// … coarsely, where a sample covers more timeslices than this (jobs/accuracy tells the error).
GORDIAN_THRESHOLD(double, kCoarseSampleSlices, 8);
// Share of the timeslices of which use is known. With less, the unknown timeslices may matter.
// Breaks when moved by 30 %: EstimatesAreDoubted.
GORDIAN_THRESHOLD(double, kMostlyCovered, 0.9);
// Share of the makespan. More time between phases than this could be anything.
GORDIAN_THRESHOLD(double, kMuchUnexplained, 0.2);

}  // namespace gordian
