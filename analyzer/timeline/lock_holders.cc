// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/lock_holders.h"

#include <algorithm>
#include <utility>

namespace gordian {

LockHolders::LockHolders(std::vector<LockRecord> records) : records_(std::move(records)) {
  std::stable_sort(records_.begin(), records_.end(),
                   [](const LockRecord& a, const LockRecord& b) { return a.lock < b.lock; });
  other_before_.assign(records_.size(), kNone);
  for (size_t i = 1; i < records_.size(); ++i) {
    if (records_[i - 1].lock != records_[i].lock) continue;
    const bool same_thread = records_[i - 1].tid == records_[i].tid;
    other_before_[i] = same_thread ? other_before_[i - 1] : i - 1;
  }
}

int32_t LockHolders::LastBefore(uint32_t lock, uint64_t time_ns, int32_t tid) const {
  const auto after =
      std::upper_bound(records_.begin(), records_.end(), std::pair(lock, time_ns),
                       [](const std::pair<uint32_t, uint64_t>& key, const LockRecord& record) {
                         return key < std::pair(record.lock, record.time_ns);
                       });
  if (after == records_.begin() || (after - 1)->lock != lock) return 0;
  auto last = static_cast<size_t>(after - records_.begin()) - 1;
  if (records_[last].tid == tid) last = other_before_[last];
  return last == kNone ? 0 : records_[last].tid;
}

}  // namespace gordian
