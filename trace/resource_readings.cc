// SPDX-License-Identifier: Apache-2.0
#include "trace/resource_readings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace gordian {
namespace {

constexpr ResourceKindWords kKinds[] = {
    {pb::RESOURCE_CPU, "cpu", "cores", 1e-9},
    {pb::RESOURCE_DISK_BUSY, "disk", "disks", 1e-9},
    {pb::RESOURCE_DISK_READ, "disk_read", "B/s", 1},
    {pb::RESOURCE_DISK_WRITE, "disk_write", "B/s", 1},
    {pb::RESOURCE_NET_RECEIVE, "net_receive", "B/s", 1},
    {pb::RESOURCE_NET_SEND, "net_send", "B/s", 1},
    {pb::RESOURCE_MEMORY, "memory", "B", 1},
    {pb::RESOURCE_SWAP, "swap", "B", 1},
    {pb::RESOURCE_SOFTIRQ, "softirq", "cores", 1e-9},
    {pb::RESOURCE_HARDIRQ, "hardirq", "cores", 1e-9},
    {pb::RESOURCE_CPU_THROTTLED, "cpu_throttled", "cores", 1e-9},
    {pb::RESOURCE_PRESSURE, "pressure", "", 1e-9},
    {pb::RESOURCE_CGROUP_MEMORY, "cgroup_memory", "B", 1},
    {pb::RESOURCE_CGROUP_AT_LIMIT, "cgroup_at_limit", "times/s", 1},
    {pb::RESOURCE_CGROUP_READ_AGAIN, "cgroup_read_again", "B/s", 1},
    {pb::RESOURCE_CGROUP_OUT_OF_MEMORY, "cgroup_out_of_memory", "processes/s", 1},
    {pb::RESOURCE_DISK_OPERATIONS, "disk_operations", "operations/s", 1},
    {pb::RESOURCE_DISK_BYTES, "disk_bytes", "B/s", 1},
    {pb::RESOURCE_ACCEPT_QUEUE, "accept_queue", "connections", 1},
    {pb::RESOURCE_ACCEPT_OVERFLOWS, "accept_overflows", "connections/s", 1},
    {pb::RESOURCE_OPEN_FILES, "open_files", "files", 1},
    {pb::RESOURCE_CONNECTION_TABLE, "connection_table", "connections", 1},
};

// Larger than any amount of memory and any rate: beyond it sums lose their meaning.
constexpr double kLargestValue = 1e18;

bool IsAmount(double value) { return value >= 0 && value <= kLargestValue; }

class Reader {
 public:
  explicit Reader(const ToldCapacities& told) : told_(told) {}

  void Take(const pb::ResourceBlock& block) {
    for (const pb::ResourceSample& sample : block.samples()) {
      const bool is_named = sample.resource() < static_cast<uint32_t>(block.resources_size());
      const bool is_time = sample.interval_ns() > 0 && sample.interval_ns() <= sample.end_time_ns();
      if (!is_named || !is_time || !IsAmount(sample.value())) {
        ++readings_.invalid;
        continue;
      }
      Take(block.resources(static_cast<int>(sample.resource())), sample);
    }
  }

  ResourceReadings Finish() {
    for (const auto& [key, both] : disk_bytes_) readings_.all.push_back(both);
    for (const auto& [interval, all] : cpus_) readings_.all.push_back(all);
    return std::move(readings_);
  }

 private:
  void Take(const pb::Resource& resource, const pb::ResourceSample& sample) {
    const ResourceKindWords* kind = FindResourceKind(resource.kind());
    if (kind == nullptr) return;  // a newer recorder's
    ResourceReading reading = {
        .kind = kind,
        .resource = &resource,
        .name = std::string_view(resource.name()),
        .start_ns = sample.end_time_ns() - sample.interval_ns(),
        .end_ns = sample.end_time_ns(),
        .value = sample.value() * kind->scale,
        .capacity = IsAmount(resource.capacity()) ? resource.capacity() * kind->scale : 0};
    if (resource.kind() != pb::RESOURCE_CPU) {
      TakeTold(reading);
      readings_.all.push_back(reading);
      return;
    }
    reading.name = {};
    reading.capacity = 1;
    const auto [all, is_first] = cpus_.try_emplace({reading.start_ns, reading.end_ns}, reading);
    if (is_first) return;
    all->second.value += reading.value;
    all->second.capacity += 1;
  }

  static void Tell(double capacity, ResourceReading& reading) {
    reading.is_told = capacity > 0;
    if (reading.is_told) reading.capacity = capacity;
  }

  void TakeTold(ResourceReading& reading) {
    const pb::ResourceKind kind = reading.kind->kind;
    if (kind == pb::RESOURCE_NET_RECEIVE || kind == pb::RESOURCE_NET_SEND) {
      const auto link = told_.link_bytes_per_second.find(reading.name);
      if (link != told_.link_bytes_per_second.end()) Tell(link->second, reading);
      return;
    }
    const auto disk = told_.disks.find(reading.name);
    if (disk == told_.disks.end()) return;
    if (kind == pb::RESOURCE_DISK_OPERATIONS) Tell(disk->second.operations_per_second, reading);
    const bool is_part = kind == pb::RESOURCE_DISK_READ || kind == pb::RESOURCE_DISK_WRITE;
    if (is_part && disk->second.bytes_per_second > 0) AddPart(disk->second, reading);
  }

  void AddPart(const ToldCapacities::Disk& disk, const ResourceReading& part) {
    const auto [both, is_first] =
        disk_bytes_.try_emplace({part.name, part.start_ns, part.end_ns}, part);
    if (!is_first) {
      both->second.value += part.value;
      return;
    }
    both->second.kind = FindResourceKind(pb::RESOURCE_DISK_BYTES);
    Tell(disk.bytes_per_second, both->second);
  }

  const ToldCapacities& told_;
  ResourceReadings readings_;
  std::map<std::tuple<std::string_view, uint64_t, uint64_t>, ResourceReading> disk_bytes_;
  std::map<std::pair<uint64_t, uint64_t>, ResourceReading> cpus_;  // by interval
};

}  // namespace

const ResourceKindWords* FindResourceKind(pb::ResourceKind kind) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const ResourceKindWords& one) { return one.kind == kind; });
  return found == std::end(kKinds) ? nullptr : &*found;
}

ResourceReadings ReadingsOf(std::span<const pb::ResourceBlock> blocks, const ToldCapacities& told) {
  Reader reader(told);
  for (const pb::ResourceBlock& block : blocks) reader.Take(block);
  return reader.Finish();
}

}  // namespace gordian
