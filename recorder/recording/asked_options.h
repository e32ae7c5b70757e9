// From what is asked for (StartRequest) to what a recording is given: the one place that knows
// both.
#pragma once

#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "schema/control.pb.h"

namespace gordian {

// InvalidArgument for words that mean nothing. Limits are the caller's to check. The directory is
// left empty.
absl::StatusOr<RecordingOptions> OptionsAskedFor(const pb::StartRequest& request);

}  // namespace gordian
