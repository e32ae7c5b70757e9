// SPDX-License-Identifier: Apache-2.0
// The last holder of a lock.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/decoded_block.h"

namespace gordian {

class LockHolders {
 public:
  // In order of time.
  explicit LockHolders(std::vector<LockRecord> records);

  // The tid of the thread other than `tid` that was last to take or release the lock, up to and
  // including that time; 0 if there is no such thread.
  int32_t LastBefore(uint32_t lock, uint64_t time_ns, int32_t tid) const;

 private:
  static constexpr size_t kNone = ~size_t{0};
  std::vector<LockRecord> records_;  // by lock, then time
  // For each record, the last one before it of the same lock and another thread; or kNone.
  std::vector<size_t> other_before_;
};

}  // namespace gordian
