// SPDX-License-Identifier: Apache-2.0
// File descriptors: of the machine, and of processes that use a good part of their limit
// (RLIMIT_NOFILE). A process at its limit cannot accept connections or open files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "recorder/sources/file_text.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class OpenFiles {
 public:
  explicit OpenFiles(SystemPaths paths);
  // Looks through all processes now and then (2 µs each where the kernel tells the number of
  // descriptors as the folder's size: Linux 6.2), and counts those of the few that are nearest to
  // their limit each time.
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Process {
    uint32_t pid = 0;
    SampledResource files;
  };
  void LookForProcesses();
  std::optional<uint64_t> FilesOf(uint32_t pid);
  std::optional<uint64_t> LimitOf(uint32_t pid) const;

  SystemPaths paths_;
  RereadFile file_nr_;
  SampledResource machine_;
  std::map<std::string, Process> processes_;  // by name
  uint64_t looked_ns_ = 0;
  uint64_t last_ns_ = 0;
  size_t entries_left_ = 0;  // that may still be counted one by one in the look at hand
};

}  // namespace gordian
