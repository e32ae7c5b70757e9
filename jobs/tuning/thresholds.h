// SPDX-License-Identifier: Apache-2.0
// How tuned rules are checked (base/threshold.h says how to read and move this).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Times the length of a sample. Rules are judged by how well they upsample samples so much coarser:
// they matter where several phases share a sample. With 1 every rule is as good as any other.
GORDIAN_THRESHOLD(uint32_t, kTunedFactor, 8);

// Stretches of the job, of which every other is held back. With 2, a job whose halves differ
// (loading, then computing) is checked on phases that it was not fitted to.
GORDIAN_THRESHOLD(uint64_t, kStretches, 10);

// Share of the default's weight. A kind of phases that uses less is said to use nothing.
GORDIAN_THRESHOLD(double, kNothing, 0.01);

// Times the model's error. Rules that do hardly better are chance, and would change with each tune.
GORDIAN_THRESHOLD(double, kWorthIt, 0.98);

// Share of the samples that show any use. What the job can get is the use that only the rest
// exceeds: a single sample may be wrong. With 0.5 it would be what the job got.
GORDIAN_THRESHOLD(double, kNearlyAllSamples, 0.98);

}  // namespace gordian
