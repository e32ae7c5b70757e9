// SPDX-License-Identifier: Apache-2.0
// CPU quotas of cgroups, and for how long they kept threads from the CPUs: cpu.max and cpu.stat, of
// version 1 cpu.cfs_quota_us and cpu.stat.
//
// A thread whose cgroup has used up its quota is ready to run and gets no CPU, though CPUs are
// free. Nothing in the scheduler's events tells it from a thread that waits its turn.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "recorder/sources/cgroup_folders.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/meter.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class CpuQuotas {
 public:
  explicit CpuQuotas(const SystemPaths& paths);
  // Looks for groups with a quota now and then (a walk over all groups), and reads only theirs each
  // time; which processes are in one, only if it was throttled. Groups that end between are no
  // samples missed.
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Group {
    explicit Group(const std::string& folder) : stat(folder + "/cpu.stat") {}
    SampledResource throttled;
    RereadFile stat;
    RateMeter meter;
    uint64_t round = 0;
    uint64_t pids_ns = 0;  // when its processes were asked for; 0: never
  };
  void LookForGroups();
  void LookAt(const CgroupTree& tree, const std::string& path);

  std::vector<CgroupTree> trees_;
  std::map<std::string, Group> groups_;  // by folder
  uint64_t round_ = 0;
  uint64_t looked_ns_ = 0;
};

}  // namespace gordian
