// SPDX-License-Identifier: Apache-2.0
// Where probe files may be: the machine's /dev/shm, and that of every other mount namespace
// (containers), found through one process of each.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recorder/probes/recording_mark.h"
#include "recorder/sources/system_paths.h"
#include "trace/file_io.h"

namespace gordian {

struct ProbeDirectory {
  FileHandle handle;
  dev_t device = 0;
  bool is_main = false;  // the machine's own
  bool present = true;   // in the last look
  timespec changed{};    // when it was listed last, by the directory's own time of change
  RecordingMark mark;
  bool is_shared = false;  // at the end: other recorders still read its files
};

class ProbeDirectories {
 public:
  ProbeDirectories(SystemPaths paths, std::string main_path);

  // Looks for the directories. One that is gone is dropped; one that stays keeps its place in
  // `all`.
  void Refresh();

  std::vector<ProbeDirectory>& all() { return all_; }

 private:
  void Add(FileHandle handle, bool is_main);
  void AddNamespaceOf(int32_t pid);

  SystemPaths paths_;
  std::string main_path_;
  std::vector<ProbeDirectory> all_;
};

// The device of /dev/shm, if, by a /proc/PID/mountinfo, it is a tmpfs that can be reached without
// touching a file system that may not answer (FUSE, network); else 0.
dev_t SharedMemoryDevice(std::string_view mountinfo);

}  // namespace gordian
