// SPDX-License-Identifier: Apache-2.0
// Files as a process sees them: below its own root, which may be a container's. A symbolic link in
// there that points to "/etc/x" means the root's own /etc/x and never leads out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/file_io.h"

namespace gordian {

struct RegularFile {
  FileHandle handle;
  uint64_t size_bytes = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  uint32_t owner = 0;
  int64_t change_time_ns = 0;
};

// Opens the file itself if it is a regular one, and only then: opening a device can have effects,
// opening a pipe can wait. `path` may be one of /proc's magic links.
std::optional<RegularFile> OpenRegularFile(const std::string& path);

class FileTree {
 public:
  FileTree() = default;
  // Nothing can be opened in it if there is no such folder.
  explicit FileTree(const std::string& root);

  // The root of the process whose folder of /proc this is. After a chroot the kernel names its
  // files by our paths; the way to its root is taken off such paths.
  static FileTree OfProcess(const std::string& process_folder);

  bool exists() const { return root_.is_open(); }
  // `path` counts from the tree's root, with or without a leading slash.
  std::optional<RegularFile> Open(const std::string& path) const;
  // The names in a folder, sorted; at most `most`. Empty if there is no such folder.
  std::vector<std::string> List(const std::string& folder, size_t most) const;

 private:
  const char* BelowRoot(const std::string& path) const;

  FileHandle root_;
  std::string way_to_root_;  // without a slash at its end; empty if paths count from the root
};

// At most `max_bytes` from the file's start. `cut` tells whether there is more.
std::string ReadText(int file, uint64_t max_bytes, bool& cut);

}  // namespace gordian
