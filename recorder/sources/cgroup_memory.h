// SPDX-License-Identifier: Apache-2.0
// Memory limits of cgroups: how much is in use, how often a group met its limit, how much it then
// had to read again, and processes killed. memory.max, memory.high, memory.events; of version 1
// memory.limit_in_bytes, memory.failcnt.
//
// A group at its limit drops cached files or swaps, and its threads read the same pages again from
// the disk. They seem to wait for the disk, and the machine has memory to spare.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "recorder/sources/cgroup_folders.h"
#include "recorder/sources/meter.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class CgroupMemory {
 public:
  explicit CgroupMemory(const SystemPaths& paths);
  // Looks for groups with a limit now and then. Of each it reads two small files, and the larger
  // memory.stat and the processes only when the group met its limit. 250 groups cost 2 ms. Groups
  // that end between are no samples missed.
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Group {
    std::string folder;
    bool is_version_1 = false;
    uint64_t round = 0;
    bool started = false;
    uint64_t last_ns = 0;
    uint64_t times = 0;  // that it had met its limit at the last sample
    SampledResource used;
    SampledResource at_limit;
    SampledResource read_again;
    SampledResource killed;
    RateMeter at_limit_meter;
    RateMeter read_again_meter;
    RateMeter killed_meter;
  };
  void LookForGroups();
  void LookAt(const CgroupTree& tree, const std::string& path);
  static void SampleGroup(Group& group, ResourceSink& sink, uint64_t& missed);
  static void SampleHarm(Group& group, ResourceSink& sink, uint64_t& missed);

  std::vector<CgroupTree> trees_;
  std::map<std::string, Group> groups_;  // by folder
  uint64_t round_ = 0;
  uint64_t looked_ns_ = 0;
};

}  // namespace gordian
