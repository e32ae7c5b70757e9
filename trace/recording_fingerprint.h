// SPDX-License-Identifier: Apache-2.0
// A recording's fingerprint: results of an analysis are kept under it.
//
// It is made of session.pb, of what the headers of all blocks say, and of each file's inode, size
// and times. Headers alone would not do: the header of a block says nothing of its content, so a
// damaged or doctored copy has the same ones. It has another inode and time of change, which nobody
// chooses. The price: a copy of a recording is another recording.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "trace/session_reader.h"

namespace gordian {

// 32 hexadecimal digits, of the files as they were when `session` was opened and, for its symbols,
// as they are now. Costs one pass over the headers in memory. FailedPrecondition if no folder holds
// the session.
//
// Blocks are read after that. So a result that is to be kept needs a second look: open the folder
// again and compare.
absl::StatusOr<std::string> RecordingFingerprint(const SessionReader& session);

}  // namespace gordian
