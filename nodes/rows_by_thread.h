// SPDX-License-Identifier: Apache-2.0
// Rows that stand in order of threads, a thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "analyzer/timeline/timeline.h"

namespace gordian {

// Calls use(thread, its rows) for each thread that has rows. `thread` is the member of Row that
// names it.
template <typename Row, typename Use>
void ForEachThread(std::span<const Row> rows, EntityId Row::*thread, Use use) {
  while (!rows.empty()) {
    const EntityId first = rows.front().*thread;
    const auto end = std::ranges::find_if(
        rows, [&](EntityId id) { return id != first; }, thread);
    const std::span<const Row> own(rows.begin(), end);
    use(first, own);
    rows = rows.subspan(own.size());
  }
}

}  // namespace gordian
