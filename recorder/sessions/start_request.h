// Turns a client's wish for a session into what a recording is given, or refuses it.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/session_limits.h"
#include "schema/control.pb.h"

namespace gordian {

// Refuses what is malformed (InvalidArgument) and what is beyond `limits` (OutOfRange): a client
// may ask for less than they allow, never for more. What was not asked for is set to the limit. The
// directory is left empty.
absl::StatusOr<RecordingOptions> CheckedOptions(const pb::StartRequest& request,
                                                const SessionLimits& limits);

// What a recording with these options may take on disk.
inline uint64_t ReservedBytes(const RecordingOptions& options) {
  return options.ring_bytes != 0 ? options.ring_bytes : options.max_bytes;
}

}  // namespace gordian
