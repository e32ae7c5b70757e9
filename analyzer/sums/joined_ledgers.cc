// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sums/joined_ledgers.h"

namespace gordian {

std::vector<Ledger> JoinedLedgers(std::span<const Entity> entities, const LedgersOfWindow& first,
                                  const LedgersOfWindow& second) {
  std::vector<Ledger> joined;
  const auto add = [&](const Ledger& row) {
    const Entity& thread = entities[row.thread];
    const bool whole_life = thread.begin_ns >= first.from_ns && thread.end_ns <= second.to_ns;
    if (!whole_life) joined.push_back(row);
  };
  // A thread without a row in one of them was in one state there.
  const auto add_first = [&](Ledger row) {
    AddTimeOf(entities[row.thread], row.at_end, second.from_ns, second.to_ns, row.time_ns);
    add(row);
  };
  const auto add_second = [&](Ledger row) {
    AddTimeOf(entities[row.thread], row.at_start, first.from_ns, first.to_ns, row.time_ns);
    add(row);
  };
  auto b = second.rows.begin();
  for (Ledger row : first.rows) {
    for (; b != second.rows.end() && b->thread < row.thread; ++b) add_second(*b);
    if (b == second.rows.end() || b->thread != row.thread) {
      add_first(row);
      continue;
    }
    row.at_end = b->at_end;
    for (size_t kind = 0; kind < kSegmentKinds; ++kind) row.time_ns[kind] += b->time_ns[kind];
    add(row);
    ++b;
  }
  for (; b != second.rows.end(); ++b) add_second(*b);
  return joined;
}

}  // namespace gordian
