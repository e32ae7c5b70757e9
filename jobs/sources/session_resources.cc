// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/session_resources.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "trace/resource_readings.h"

namespace gordian {
namespace {

// Of these a job is told always, of the others only if its model has them.
constexpr pb::ResourceKind kAlwaysTold[] = {
    pb::RESOURCE_CPU,        pb::RESOURCE_DISK_BUSY,   pb::RESOURCE_DISK_READ,
    pb::RESOURCE_DISK_WRITE, pb::RESOURCE_NET_RECEIVE, pb::RESOURCE_NET_SEND,
    pb::RESOURCE_DISK_BYTES,
};

ResourceTypeId TypeOf(const ResourceKindWords& kind, PhaseTypes& types) {
  if (std::find(std::begin(kAlwaysTold), std::end(kAlwaysTold), kind.kind) == std::end(kAlwaysTold))
    return types.FindResource(kind.name);
  return types.ResourceOrNew({.name = kind.name, .unit = kind.unit});
}

}  // namespace

absl::Status ReadSessionResources(SessionReader& session, const ToldCapacities& told,
                                  PhaseCollector& collector, const ClockOfJob& to_job) {
  const auto blocks = session.ReadResources();
  if (!blocks.ok()) return blocks.status();
  const ResourceReadings readings = ReadingsOf(*blocks, told);
  for (const ResourceReading& reading : readings.all) {
    const ResourceTypeId type = TypeOf(*reading.kind, collector.types());
    if (type == kNoId) continue;
    const std::string_view name = reading.name.empty() ? reading.kind->name : reading.name;
    const ResourceId instance =
        collector.resources().Instance(type, name, collector.default_node());
    collector.resources().AddSample(
        instance, {ToJob(to_job, reading.start_ns), ToJob(to_job, reading.end_ns), reading.value},
        reading.capacity);
  }
  return absl::OkStatus();
}

}  // namespace gordian
