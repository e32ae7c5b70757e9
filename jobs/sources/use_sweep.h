// SPDX-License-Identifier: Apache-2.0
// How many of many overlapping pieces of work run at each moment, or how much they use together, as
// samples of a resource.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/tree/measured_resources.h"

namespace gordian {

class UseSweep {
 public:
  void Add(uint64_t start_ns, uint64_t end_ns, double use);
  // From the first beginning to the last end; a moment without any has a sample of 0.
  void HandOver(MeasuredResources& resources, ResourceId instance);

 private:
  struct Change {
    uint64_t time_ns;
    double use;  // more, or less
  };
  // `take(start_ns, end_ns, use)` for each time in which nothing changes.
  template <typename Take>
  void Walk(Take take);

  std::vector<Change> changes_;
};

}  // namespace gordian
