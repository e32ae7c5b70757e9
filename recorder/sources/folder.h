// SPDX-License-Identifier: Apache-2.0
// A folder of the kernel's file trees, to be listed with readdir.
#pragma once

#include <dirent.h>

#include <memory>
#include <string>

namespace gordian {

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;
// Null if it cannot be listed.
inline Folder OpenFolder(const std::string& path) { return {opendir(path.c_str()), closedir}; }

}  // namespace gordian
