// SPDX-License-Identifier: Apache-2.0
// Folders in which a program keeps what a later run will believe. Such a folder and its files are
// this user's own, and nobody else may write to them.
#pragma once

#include <sys/stat.h>

#include <string>

#include "absl/status/statusor.h"
#include "trace/file_io.h"

namespace gordian {

// The effective user's, and no other may write to it.
bool IsOwn(const struct stat& status);

// Opens `folder`. Makes it, and the folders that it is in, if need be (mode 0700).
// FailedPrecondition tells in a few words why it is not used: others may write there, it is a
// symbolic link, it cannot be made.
absl::StatusOr<FileHandle> OpenOwnFolder(const std::string& folder);

// The value of the environment's `variable`, if it is an absolute path; else empty.
std::string PathFromEnvironment(const char* variable);

// Where this user's cached files lie: /var/cache/gordian for root, else in $XDG_CACHE_HOME or
// ~/.cache. CACHE_DIRECTORY names another folder, as systemd does for gordiand. Empty if there is
// none.
std::string CacheFolder();

}  // namespace gordian
