// SPDX-License-Identifier: Apache-2.0
// Which loss is told, and the gain without it. Inner to the library.
#pragma once

#include <array>

#include "path/job_path.h"

namespace gordian {

// The loss with the most time, if that is a good share of the path. Otherwise the machine is full,
// if it was full for longer than any loss lasted. What nothing is known of is told last.
PathLoss VerdictOf(const std::array<double, kPathLosses>& loss_ns, double length_ns);

// At most: the path without the time that the loss cost, but never shorter than the work takes on
// all CPUs, nor, where no piece gets shorter, than the longest piece.
double GainBound(const JobPath& path);

}  // namespace gordian
