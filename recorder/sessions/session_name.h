// SPDX-License-Identifier: Apache-2.0
// Names of sessions. A name is also a folder's, so its allowed characters cannot lead out of the
// sessions' folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gordian {

inline constexpr size_t kMaxSessionNameLength = 64;

// InvalidArgument unless `name` is 1 to 64 of A-Z a-z 0-9 . _ - and does not begin with a dot.
absl::Status CheckSessionName(std::string_view name);

// InvalidArgument unless `name` can be that of a file in a session's folder: 1 to 255 of the same
// characters, not beginning with a dot.
absl::Status CheckSessionFileName(std::string_view name);

// NAME-20261121T083000Z, with NAME cut short if the whole would be too long.
std::string SnapshotName(std::string_view session_name, int64_t realtime_ns);

}  // namespace gordian
