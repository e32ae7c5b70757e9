// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/tid_index.h"

#include <algorithm>

namespace gordian {

uint32_t TidIndex::Add(int32_t tid) {
  const auto position = static_cast<uint32_t>(tid);
  const auto number = static_cast<uint32_t>(tids_.size());
  if (position < kMaxTids) {
    if (position >= number_plus_one_.size()) {
      number_plus_one_.resize(std::min<size_t>(kMaxTids, size_t{position} * 2 + 1024));
    }
    number_plus_one_[position] = number + 1;
  } else {
    const auto [found, added] = others_.try_emplace(tid, number);
    if (!added) return found->second;
  }
  tids_.push_back(tid);
  return number;
}

void TidIndex::Clear() {
  for (const int32_t tid : tids_) {
    const auto position = static_cast<uint32_t>(tid);
    if (position < number_plus_one_.size()) number_plus_one_[position] = 0;
  }
  others_.clear();
  tids_.clear();
}

}  // namespace gordian
