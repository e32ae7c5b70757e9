// SPDX-License-Identifier: Apache-2.0
// The numbers that shape the history of predictions (base/threshold.h).
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace gordian {

// Bytes of the file. Beyond it the older half of the lines is dropped: a thousand predictions
// are more than anybody checks, and each question reads all of them.
GORDIAN_THRESHOLD(size_t, kMostHistoryBytes, 512 * 1024);
// … of one line. Nothing that was written here is longer.
GORDIAN_THRESHOLD(size_t, kMostLineBytes, 8192);
// … of one text in it.
GORDIAN_THRESHOLD(size_t, kMostTextBytes, 1024);
// A gain beyond it is a forged line.
GORDIAN_THRESHOLD(double, kMostBelievedGain, 1e6);
// Share by which the number was off. Beyond it the prediction would have led to another decision.
GORDIAN_THRESHOLD(double, kFarOff, 0.25);

}  // namespace gordian
