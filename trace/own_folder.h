// SPDX-License-Identifier: Apache-2.0
// Folders in which a program keeps what a later run will believe. Such a folder and its files are
// this user's own, and nobody else may write to them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "trace/file_io.h"

namespace gordian {

// The effective user's, and no other may write to it.
bool IsOwn(const struct stat& status);

enum class IfAbsent : uint8_t { kMake, kLeave };

// Opens `folder`. If it is not there, makes it, and the folders that it is in (mode 0700); with
// kLeave it is NotFound. FailedPrecondition tells in a few words why it is not used: others may
// write there, it is a symbolic link, it cannot be made.
absl::StatusOr<FileHandle> OpenOwnFolder(const std::string& folder,
                                         IfAbsent if_absent = IfAbsent::kMake);

// The value of the environment's `variable`, if it is an absolute path; else empty.
std::string PathFromEnvironment(const char* variable);

// Where this user's cached files lie: /var/cache/gordian for root, else in $XDG_CACHE_HOME or
// ~/.cache. CACHE_DIRECTORY names another folder, as systemd does for gordiand. Empty if there is
// none.
std::string CacheFolder();

}  // namespace gordian
