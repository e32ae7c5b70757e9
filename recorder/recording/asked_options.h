// SPDX-License-Identifier: Apache-2.0
// From the request (StartRequest) to the options of a recording: the one place that knows both.
#pragma once

#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "schema/control.pb.h"

namespace gordian {

// InvalidArgument for unknown words. The caller checks limits. The directory is left empty.
absl::StatusOr<RecordingOptions> OptionsAskedFor(const pb::StartRequest& request);

}  // namespace gordian
