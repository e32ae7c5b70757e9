// SPDX-License-Identifier: Apache-2.0
// For how long threads waited for memory, disks or CPUs: the kernel's own account of pressure, from
// /proc/pressure. Kernels without it (CONFIG_PSI, psi=1) have no samples, and none are missed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recorder/sources/file_text.h"
#include "recorder/sources/meter.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class Pressure {
 public:
  explicit Pressure(const SystemPaths& paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  // "some": at least one thread waited. "full": and no other thread ran.
  struct Line {
    SampledResource resource;
    TimeShareMeter meter;
  };
  struct File {
    File(const std::string& path, const std::string& name);
    RereadFile text;
    Line some;
    Line full;
  };
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace gordian
