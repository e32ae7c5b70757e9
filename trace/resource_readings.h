// What the samples of a machine's resources say: checked, with names, in the units people read.
//
// A sample is one resource's mean over an interval (schema/trace.proto). CPUs are sampled one by
// one, all at the same time, and read as one resource, since nobody cares which of them was busy.
#pragma once

#include <cstdint>
#include <span>
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

// Lives as long as the blocks it was read from.
struct ResourceReading {
  const ResourceKindWords* kind;
  const pb::Resource* resource;  // of CPUs any of them
  std::string_view name;         // empty: all CPUs
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  double value = 0;
  double capacity = 0;  // 0: not known
};

struct ResourceReadings {
  std::vector<ResourceReading> all;  // as the samples come; CPUs behind all others
  uint64_t invalid = 0;              // samples that no recorder writes, left out
};

ResourceReadings ReadingsOf(std::span<const pb::ResourceBlock> blocks);

}  // namespace gordian
