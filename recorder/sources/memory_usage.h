// Memory and swap in use, from /proc/meminfo.
#pragma once

#include <cstdint>

#include "recorder/sources/file_text.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class MemoryUsage {
 public:
  explicit MemoryUsage(const SystemPaths& paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  RereadFile meminfo_;
  SampledResource memory_;
  SampledResource swap_;
  uint64_t last_ns_ = 0;
  bool started_ = false;
};

}  // namespace gordian
