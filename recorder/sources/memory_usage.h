// SPDX-License-Identifier: Apache-2.0
// Memory and swap in use, from /proc/meminfo; how often the kernel had to look for free memory, and
// how much was read again that it had dropped, from /proc/vmstat.
#pragma once

#include <cstdint>

#include "recorder/sources/file_text.h"
#include "recorder/sources/meter.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class MemoryUsage {
 public:
  explicit MemoryUsage(const SystemPaths& paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  void SampleShortage(ResourceSink& sink, uint64_t& missed);

  RereadFile meminfo_;
  RereadFile vmstat_;
  SampledResource memory_;
  SampledResource swap_;
  SampledResource at_limit_;
  SampledResource read_again_;
  RateMeter at_limit_meter_;
  RateMeter read_again_meter_;
  uint64_t last_ns_ = 0;
  bool started_ = false;
};

}  // namespace gordian
