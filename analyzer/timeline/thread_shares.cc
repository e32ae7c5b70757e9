// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/thread_shares.h"

#include <algorithm>

#include "analyzer/timeline/thread_record.h"

namespace gordian {

std::vector<ThreadShare> ShareOut(const Window& window, const Lives& lives) {
  std::vector<ThreadShare> shares;
  shares.reserve(window.slices.size());
  for (const ThreadSlice& slice : window.slices) {
    std::span<ThreadSegment> rest = window.slots.subspan(slice.first, slice.count);
    const size_t lives_count = lives.CountOf(slice.tid);
    for (size_t i = 0; i < lives_count && !rest.empty(); ++i) {
      size_t count = rest.size();
      if (i + 1 < lives_count) {
        const uint64_t end_ns = lives.lives()[lives.LifeOf(slice.tid, i + 1)].begin_ns;
        const auto end = std::lower_bound(rest.begin(), rest.end(), end_ns,
                                          [](const ThreadSegment& slot, uint64_t time_ns) {
                                            return RecordIn(slot).time_ns < time_ns;
                                          });
        count = static_cast<size_t>(end - rest.begin());
      }
      if (count > 0) shares.push_back({lives.LifeOf(slice.tid, i), rest.first(count)});
      rest = rest.subspan(count);
    }
  }
  return shares;
}

}  // namespace gordian
