// SPDX-License-Identifier: Apache-2.0
// Turns a client's request for a session into the options of a recording, or refuses it.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/session_limits.h"
#include "schema/control.pb.h"

namespace gordian {

// Refuses malformed requests (InvalidArgument) and requests beyond `limits` (OutOfRange): a client
// may ask for less than they allow, never for more. CutToLimits comes first, so that only requests
// that contradict themselves are left to refuse. Options that were not asked for are set to the
// limit. The directory is left empty.
absl::StatusOr<RecordingOptions> CheckedOptions(const pb::StartRequest& request,
                                                const SessionLimits& limits);

// The largest size on disk of a recording with these options.
inline uint64_t ReservedBytes(const RecordingOptions& options) {
  return options.ring_bytes != 0 ? options.ring_bytes : options.max_bytes;
}

}  // namespace gordian
