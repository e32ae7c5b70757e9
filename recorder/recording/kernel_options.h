// SPDX-License-Identifier: Apache-2.0
// The options of a recording's kernel side.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "recorder/attach/kernel_programs.h"
#include "recorder/recording/recording.h"

namespace gordian {

// Of a finite time that is not negative.
uint64_t Ns(absl::Duration duration);

// InvalidArgument for options that no recording can have.
absl::Status CheckOptions(const RecordingOptions& options);

// All options except the pids and cgroups of the targets, which are looked up as it begins.
KernelOptions KernelOptionsOf(const RecordingOptions& options);

}  // namespace gordian
