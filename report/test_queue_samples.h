// SPDX-License-Identifier: Apache-2.0
// Samples of accept queues, for tests.
#pragma once

#include <cstdint>
#include <string>

#include "base/time_units.h"
#include "trace/resource_readings.h"

namespace gordian {

// One sample of the second that ends at `end_s`, of a resource of its own. Queues hold four, and
// process 7 owns them where they are full.
inline void AddQueueSample(pb::ResourceKind kind, const std::string& name, uint64_t end_s,
                           double value, pb::ResourceBlock& block) {
  constexpr double kBacklog = 4;
  pb::Resource& resource = *block.add_resources();
  resource.set_kind(kind);
  resource.set_name(name);
  resource.set_capacity(kind == pb::RESOURCE_ACCEPT_QUEUE ? kBacklog : 0);
  if (value == kBacklog) resource.add_pids(7);
  pb::ResourceSample& sample = *block.add_samples();
  sample.set_resource(static_cast<uint32_t>(block.resources_size() - 1));
  sample.set_end_time_ns(end_s * kNsPerSecond);
  sample.set_interval_ns(kNsPerSecond);
  sample.set_value(value);
}

}  // namespace gordian
