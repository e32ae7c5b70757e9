// SPDX-License-Identifier: Apache-2.0
// How much the code has in common in which threads spend their time.
//
// Two measures of two profiles:
// - Equal: the histogram intersection, the sum of the smaller shares: 1 if each place has the same
//   share in both. Threads are nearly equal from kNearlyEqual on, if at least half of each's time
//   shows code of the program's own (all threads of all programs wait in futex_wait).
// - Overlap: the share of one's time in places where the other was seen at all, whichever is more.
//   It ignores how busy they are: an idle worker was only seen where workers wait for work, and
//   every worker's profile has that place. Threads clearly differ below kClearlyDifferent.
//
// A profile with fewer than kFewestCodeSamples samples says nothing (thresholds.h).
#pragma once

#include <cstdint>

#include "analyzer/model/model.h"

namespace gordian {

bool SaysEnough(const CodeProfile& profile);
double EqualShare(const CodeProfile& a, const CodeProfile& b);
double OverlapOf(const CodeProfile& a, const CodeProfile& b);
bool AreNearlyEqual(const CodeProfile& a, const CodeProfile& b);
bool ClearlyDiffer(const CodeProfile& a, const CodeProfile& b);

// Adds `from` to `into`, each weighted by its samples.
void Add(const CodeProfile& from, CodeProfile& into);

}  // namespace gordian
