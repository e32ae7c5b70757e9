// SPDX-License-Identifier: Apache-2.0
// The numbers that shape an answer and how far it is trusted (base/threshold.h).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// A gain below this cannot be told from no gain.
// Breaks when moved by 30 %: OfFurtherFindingsAreLeftToWhoeverAsks, OfLocksAreThoseOfEachFix,
// OfWakesForNothingAreFollowedByAdvice.
GORDIAN_THRESHOLD(double, kNoGain, 1.03);
// Times the throughput. "No gain" beside an interval that holds so much would be believed, and the
// fix never tried.
GORDIAN_THRESHOLD(double, kMuchMore, 2);
// Ends of an interval that are this near are one number.
GORDIAN_THRESHOLD(double, kOneGain, 1.05);

// Times: the greater end of an interval over the lesser one. Beyond it the number between leads
// nowhere without them, and the sentence says both.
GORDIAN_THRESHOLD(double, kWide, 1.5);

// Share of the recorded rate by which the replay with nothing changed misses it. Up to here it is
// good, …
GORDIAN_THRESHOLD(double, kGoodSelfCheck, 0.05);
// … beyond this it is poor, and no finding tells a prediction, …
GORDIAN_THRESHOLD(double, kPoorSelfCheck, 0.1);
// … beyond this nothing is predicted at all.
GORDIAN_THRESHOLD(double, kNoSelfCheck, 0.25);
// Share of the steps. If more had to go on by force, nothing is predicted.
// Breaks when moved by 30 %: IsMoreThanAThousandthOfTheSteps.
GORDIAN_THRESHOLD(double, kMostForced, 0.001);

// Share of full trust in an answer without any doubt: until many real programs have shown how often
// predictions come true.
GORDIAN_THRESHOLD(double, kNotYetProven, 0.75);
// So many times the self-check is taken off the trust …
GORDIAN_THRESHOLD(double, kTrustPerSelfCheck, 3);
// … and so much of it is left at least.
GORDIAN_THRESHOLD(double, kLeastTrustOfSelfCheck, 0.1);
// Share of the progress' threads' time in waits without a known cause. From here on it is a doubt …
GORDIAN_THRESHOLD(double, kUnexplainedMatters, 0.1);
// … and takes such a part of it off the trust.
GORDIAN_THRESHOLD(double, kTrustPerUnexplained, 0.5);
// Fewer events of progress are a doubt …
GORDIAN_THRESHOLD(uint64_t, kFewMarks, 100);
// … and leave so much of the trust.
GORDIAN_THRESHOLD(double, kTrustOfFewMarks, 0.8);
// The part of the trust that stays if records were lost, or steps had to go on by force.
GORDIAN_THRESHOLD(double, kTrustOfDamage, 0.9);
// The part that stays if a change that only gives more came out as a loss.
GORDIAN_THRESHOLD(double, kTrustOfLoss, 0.4);
// Times: the lower end of a change that only gives more is not below, however uncertain the answer
// is. Of the measured ones (whatif/calibration) none was below 0.9; without it people read that
// more CPUs may stop their program.
GORDIAN_THRESHOLD(double, kLeastOfGiven, 0.8);
// Trust from which on an answer is called fairly founded, or at least rough.
GORDIAN_THRESHOLD(double, kFairlyFounded, 0.6);
GORDIAN_THRESHOLD(double, kRoughlyFounded, 0.35);

}  // namespace gordian
