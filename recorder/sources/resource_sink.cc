// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/resource_sink.h"

#include <algorithm>

namespace gordian {
namespace {

bool StandsAt(const pb::ResourceBlock& block, const SampledResource& resource) {
  if (resource.index < 0 || resource.index >= block.resources_size()) return false;
  const pb::Resource& there = block.resources(resource.index);
  return there.kind() == resource.kind && there.name() == resource.name &&
         there.capacity() == resource.capacity;
}

}  // namespace

void ResourceSink::Add(SampledResource& resource, const MeterReading& reading) {
  if (!StandsAt(block_, resource)) {
    resource.index = block_.resources_size();
    pb::Resource* added = block_.add_resources();
    added->set_kind(resource.kind);
    added->set_name(resource.name);
    added->set_capacity(resource.capacity);
    added->mutable_pids()->Add(resource.pids.begin(), resource.pids.end());
  }
  const uint64_t start_ns = now_ns_ - reading.interval_ns;
  const bool first = block_.samples_size() == 0;
  block_.set_first_time_ns(first ? start_ns : std::min(block_.first_time_ns(), start_ns));
  block_.set_last_time_ns(now_ns_);
  pb::ResourceSample* sample = block_.add_samples();
  sample->set_resource(resource.index);
  sample->set_end_time_ns(now_ns_);
  sample->set_interval_ns(reading.interval_ns);
  sample->set_value(reading.per_second);
}

}  // namespace gordian
