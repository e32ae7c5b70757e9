// What a recording asks of its kernel side.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "recorder/attach/kernel_programs.h"
#include "recorder/recording/recording.h"

namespace gordian {

// Of a finite time that is not negative.
uint64_t Ns(absl::Duration duration);

// InvalidArgument for what no recording can be asked for.
absl::Status CheckOptions(const RecordingOptions& options);

// All but the pids and cgroups of the targets, which are looked up as it begins.
KernelOptions KernelOptionsOf(const RecordingOptions& options);

}  // namespace gordian
