// SPDX-License-Identifier: Apache-2.0
// The ledgers of neighbouring windows as those of one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/waits/waits.h"

namespace gordian {

// Adds time [from_ns, to_ns) in that state, as far as the thread lived then.
inline void AddTimeOf(const Entity& thread, SegmentKind state, uint64_t from_ns, uint64_t to_ns,
                      std::array<uint64_t, kSegmentKinds>& time_ns) {
  from_ns = std::max(from_ns, thread.begin_ns);
  to_ns = std::min(to_ns, thread.end_ns);
  if (from_ns < to_ns) time_ns[static_cast<size_t>(state)] += to_ns - from_ns;
}

struct LedgersOfWindow {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  std::span<const Ledger> rows;
};

// `second` begins where `first` ends.
std::vector<Ledger> JoinedLedgers(std::span<const Entity> entities, const LedgersOfWindow& first,
                                  const LedgersOfWindow& second);

}  // namespace gordian
