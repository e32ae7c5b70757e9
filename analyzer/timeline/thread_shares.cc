// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/thread_shares.h"

#include <algorithm>

#include "analyzer/timeline/thread_record.h"

namespace gordian {

std::vector<ThreadShare> ShareOut(const Window& window, const Lives& all_lives) {
  std::vector<ThreadShare> shares;
  shares.reserve(window.slices.size());
  for (const ThreadSlice& slice : window.slices) {
    std::span<ThreadSegment> rest = window.slots.subspan(slice.first, slice.count);
    const EntityId first_life = all_lives.FirstLifeOf(slice.tid);
    const std::span<const Life> lives = all_lives.LivesOf(slice.tid);
    for (size_t i = 0; i < lives.size() && !rest.empty(); ++i) {
      size_t count = rest.size();
      if (i + 1 < lives.size()) {
        const auto end = std::lower_bound(rest.begin(), rest.end(), lives[i + 1].begin_ns,
                                          [](const ThreadSegment& slot, uint64_t time_ns) {
                                            return RecordIn(slot).time_ns < time_ns;
                                          });
        count = static_cast<size_t>(end - rest.begin());
      }
      if (count > 0) shares.push_back({static_cast<EntityId>(first_life + i), rest.first(count)});
      rest = rest.subspan(count);
    }
  }
  return shares;
}

}  // namespace gordian
