// SPDX-License-Identifier: Apache-2.0
#include "loglines/slice_cover.h"

#include <algorithm>

namespace gordian {

void SliceCover::Settle() {
  for (auto& [thread, stretches] : stretches_) {
    std::sort(stretches.begin(), stretches.end());
    size_t last = 0;
    for (size_t i = 1; i < stretches.size(); ++i) {
      if (stretches[i].first <= stretches[last].second) {
        stretches[last].second = std::max(stretches[last].second, stretches[i].second);
      } else {
        stretches[++last] = stretches[i];
      }
    }
    stretches.resize(last + 1);
  }
}

bool SliceCover::Holds(EntityId thread, uint64_t from_ns, uint64_t to_ns) const {
  const auto found = stretches_.find(thread);
  if (found == stretches_.end()) return false;
  const auto next = std::partition_point(found->second.begin(), found->second.end(),
                                         [from_ns](const std::pair<uint64_t, uint64_t>& stretch) {
                                           return stretch.second <= from_ns;
                                         });
  return next != found->second.end() && next->first < to_ns;
}

}  // namespace gordian
