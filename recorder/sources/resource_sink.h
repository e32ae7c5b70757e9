// SPDX-License-Identifier: Apache-2.0
// Where samples go, and the memory of where in the block a resource stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recorder/sources/meter.h"
#include "schema/trace.pb.h"

namespace gordian {

// One thing that is sampled. Its name stands once per block; `index` remembers where, from block to
// block.
struct SampledResource {
  pb::ResourceKind kind = pb::RESOURCE_UNKNOWN;
  std::string name;
  double capacity = 0;
  int index = -1;
  std::vector<uint32_t> pids;
};

class ResourceSink {
 public:
  ResourceSink(uint64_t now_ns, pb::ResourceBlock& block) : now_ns_(now_ns), block_(block) {}

  uint64_t now_ns() const { return now_ns_; }
  void Add(SampledResource& resource, const MeterReading& reading);

 private:
  uint64_t now_ns_;
  pb::ResourceBlock& block_;
};

}  // namespace gordian
