// SPDX-License-Identifier: Apache-2.0
// What lies in a session's folder, read without trust.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "trace/file_io.h"
#include "trace/segment_name.h"

namespace gordian {

// NotFound, PermissionDenied or FailedPrecondition, with a line for the user, if there is no
// folder.
absl::Status CheckIsFolder(const std::string& directory);

struct SessionDescription {
  std::optional<pb::Session> session;  // nothing if it is missing, damaged, or not ours to read
  uint64_t bytes = 0;                  // of those that were read
  std::optional<FileState> identity;   // of the file that was read
};
// FailedPrecondition if it was written by a newer version in a way this one cannot read.
absl::StatusOr<SessionDescription> ReadSessionFile(const std::string& directory);

// By kind, CPU and number: the order that streams and their segments shall have.
absl::StatusOr<std::vector<SegmentName>> ListSegments(const std::string& directory);

}  // namespace gordian
