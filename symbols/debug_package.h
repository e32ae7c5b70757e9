// SPDX-License-Identifier: Apache-2.0
// Which Debian package would give names to the functions of a stripped file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "symbols/file_tree.h"

namespace gordian {

// By path, of those that dpkg's lists in `root` tell of: libc6-dbg for libc6's files, else the
// owning package with -dbgsym. A file that was built on the machine has no package. Reads all lists
// once, some ten megabytes.
std::map<std::string, std::string> DebugPackagesOf(const FileTree& root,
                                                   const std::vector<std::string>& paths);

// A line for the user for each stripped file, with the number of addresses in it without a name.
std::vector<std::string> NotesOnStrippedFiles(const FileTree& root,
                                              const std::map<std::string, size_t>& unnamed);

}  // namespace gordian
