// SPDX-License-Identifier: Apache-2.0
// What the samples of a machine's resources say: checked, with names, in the units people read.
//
// A sample is one resource's mean over an interval (schema/trace.proto). CPUs are sampled one by
// one, all at the same time, and read as one resource, since nobody cares which of them was busy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/trace.pb.h"

namespace gordian {

// How a kind of resource is called, and what its numbers mean.
struct ResourceKindWords {
  pb::ResourceKind kind;
  const char* name;
  const char* unit;  // empty: a share of the time
  double scale;      // from the session's numbers to the unit
};

// nullptr: a kind that this version does not know.
const ResourceKindWords* FindResourceKind(pb::ResourceKind kind);

// What a person knows of resources of which the kernel tells no capacity, by name. 0: not told.
struct ToldCapacities {
  struct Disk {
    double bytes_per_second = 0;  // read and written together, as sellers of disks count
    double operations_per_second = 0;
  };
  std::map<std::string, double, std::less<>> link_bytes_per_second;  // in each direction
  std::map<std::string, Disk, std::less<>> disks;
};

// Lives as long as the blocks it was read from.
struct ResourceReading {
  const ResourceKindWords* kind;
  const pb::Resource* resource;  // of CPUs any of them
  std::string_view name;         // empty: all CPUs
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  double value = 0;
  double capacity = 0;   // 0: not known
  bool is_told = false;  // the capacity, by a person
};

struct ResourceReadings {
  std::vector<ResourceReading> all;  // as the samples come; CPUs behind all others
  uint64_t invalid = 0;              // samples that no recorder writes, left out
};

// A told capacity stands before the kernel's. A disk of told bytes per second also has readings of
// what was read and written together: disk_bytes.
ResourceReadings ReadingsOf(std::span<const pb::ResourceBlock> blocks,
                            const ToldCapacities& told = {});

}  // namespace gordian
