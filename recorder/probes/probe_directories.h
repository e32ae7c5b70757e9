// Where probe files may be: the machine's /dev/shm, and that of every other mount namespace
// (containers), found through one process of each.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recorder/sources/system_paths.h"
#include "trace/file_io.h"

namespace gordian {

struct ProbeDirectory {
  FileHandle handle;
  dev_t device = 0;
  bool is_main = false;  // the machine's own
  bool present = true;   // in the last look
  timespec changed{};    // when it was listed last, by the directory's own time of change
};

class ProbeDirectories {
 public:
  ProbeDirectories(SystemPaths paths, std::string main_path);

  // Looks which there are: one that is gone is let go, one that stays keeps its place in `all`.
  void Refresh();

  std::vector<ProbeDirectory>& all() { return all_; }

 private:
  void Add(FileHandle handle, bool is_main);
  void AddNamespaceOf(int32_t pid);

  SystemPaths paths_;
  std::string main_path_;
  std::vector<ProbeDirectory> all_;
};

// Is /dev/shm, in a /proc/PID/mountinfo, a tmpfs that can be reached without touching a file system
// that answers when it likes (FUSE, network)? Then its device; else 0.
dev_t SharedMemoryDevice(std::string_view mountinfo);

}  // namespace gordian
