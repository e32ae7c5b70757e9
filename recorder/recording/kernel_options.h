// What a recording asks of its kernel side.
#pragma once

#include "absl/status/status.h"
#include "recorder/attach/kernel_programs.h"
#include "recorder/recording/recording.h"

namespace gordian {

// InvalidArgument for what no recording can be asked for.
absl::Status CheckOptions(const RecordingOptions& options);

// All but the pids and cgroups of the targets, which are looked up as it begins.
KernelOptions KernelOptionsOf(const RecordingOptions& options);

}  // namespace gordian
