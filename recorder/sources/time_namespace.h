// SPDX-License-Identifier: Apache-2.0
// Whether this process' clocks are the kernel's own.
//
// In a time namespace CLOCK_MONOTONIC and CLOCK_BOOTTIME, and the times in /proc, are shifted. BPF
// programs and so all records know only the kernel's: other times beside them would not fit.
#pragma once

#include "absl/status/status.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

// FailedPrecondition, with a line for the user, if they are shifted. OK for a kernel without such
// namespaces, and for one that does not tell.
absl::Status CheckClocksAreTheKernels(const SystemPaths& paths);

}  // namespace gordian
