// Which Debian package would give names to the functions of a stripped file.
#pragma once

#include <string>

#include "symbols/file_tree.h"

namespace gordian {

// libc6-dbg for libc6's files, else the owning package with -dbgsym. Empty where dpkg's lists in
// `root` do not tell of the file: it was built here, or the system is none of Debian's kind.
std::string DebugPackageOf(const FileTree& root, const std::string& path);

// A line for the user: of `unnamed` addresses in the file no name is known.
std::string NoteOnStrippedFile(const FileTree& root, const std::string& path, size_t unnamed);

}  // namespace gordian
