// SPDX-License-Identifier: Apache-2.0
// Samples the use of the machine's resources: CPUs, disks, interfaces, memory, quotas and memory
// limits of cgroups, pressure, connections, open files.
#pragma once

#include <cstdint>

#include "recorder/sources/cgroup_memory.h"
#include "recorder/sources/connections.h"
#include "recorder/sources/cpu_quotas.h"
#include "recorder/sources/cpu_usage.h"
#include "recorder/sources/disk_usage.h"
#include "recorder/sources/memory_usage.h"
#include "recorder/sources/net_usage.h"
#include "recorder/sources/open_files.h"
#include "recorder/sources/pressure.h"
#include "recorder/sources/system_paths.h"
#include "schema/trace.pb.h"

namespace gordian {

// The files stay open: one Sample costs a dozen reads and their parsing, one for each cgroup with
// a quota, and two for each with a memory limit. Not thread-safe: one owner.
class ResourceSampler {
 public:
  explicit ResourceSampler(const SystemPaths& paths);

  // Appends one sample per resource for the time since the last call, and the names `block` does
  // not hold yet. The first call only sets the start. A resource that comes later has its first
  // sample at the second call that sees it.
  void Sample(uint64_t now_ns, pb::ResourceBlock& block);

  // Samples that could not be taken: a file that cannot be read or understood, a counter that went
  // back or leapt, a call at a time not after the last. Goes into the counter
  // resource_samples_missed.
  uint64_t samples_missed() const { return samples_missed_; }

 private:
  CpuUsage cpus_;
  DiskUsage disks_;
  NetUsage interfaces_;
  MemoryUsage memory_;
  CpuQuotas quotas_;
  CgroupMemory cgroup_memory_;
  Pressure pressure_;
  Connections connections_;
  OpenFiles open_files_;
  uint64_t last_ns_ = 0;
  uint64_t samples_missed_ = 0;
};

}  // namespace gordian
