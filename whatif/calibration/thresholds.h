// SPDX-License-Identifier: Apache-2.0
// The numbers that shape calibrated intervals (base/threshold.h).
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace gordian {

// Share of measured gains that intervals shall hold.
GORDIAN_THRESHOLD(double, kShareInside, 0.9);
// Logarithm of a gain. Two measurements of the same fix differ by so much on an ordinary machine:
// without it an interval without width would have errors without end.
GORDIAN_THRESHOLD(double, kLeastScale, 0.1);
// Part of a gain's logarithm that belongs to its scale: who predicts more may err by more.
GORDIAN_THRESHOLD(double, kScalePerGain, 0.1);
// Weight of a prediction of another kind of change, or of the other replay. With 1 all kinds would
// be one; with 0 a kind would be judged by three programs.
GORDIAN_THRESHOLD(double, kOtherKindWeight, 0.3);
// Weight of the user's own predictions: their programs and machine are those of the question.
GORDIAN_THRESHOLD(double, kOwnWeight, 3);
// Gain. What differs from 1 by less is no effect, as in answers.
GORDIAN_THRESHOLD(double, kNoEffect, 1.03);
// With fewer programs the largest error of one direction is no one-in-twenty, and both directions
// share one distribution.
GORDIAN_THRESHOLD(size_t, kProgramsForTwoSides, 19);

}  // namespace gordian
