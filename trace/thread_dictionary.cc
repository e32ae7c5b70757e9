// SPDX-License-Identifier: Apache-2.0
#include "trace/thread_dictionary.h"

#include <algorithm>
#include <numeric>

namespace gordian {
namespace {

// Codes below 256 need only the low byte of a column; code 0 is the current thread.
constexpr size_t kOneByteCodes = 255;

}  // namespace

void ThreadDictionary::Clear() {
  recent_.fill({});
  slot_of_tid_.clear();
  tids_.clear();
  occurrences_.clear();
}

uint32_t ThreadDictionary::LookUp(int32_t tid) {
  const auto [entry, is_new] = slot_of_tid_.try_emplace(tid, tids_.size() + 1);
  if (is_new) {
    tids_.push_back(tid);
    occurrences_.push_back(0);
  }
  recent_[static_cast<uint32_t>(tid) % kRecent] = {.tid = tid, .slot = entry->second};
  return entry->second;
}

// The most frequent take the codes of one byte. Among equals of that kind the order is free: by
// thread id, so that the differences between neighbours stay small.
void ThreadDictionary::AssignCodes(google::protobuf::RepeatedField<int32_t>& tid_delta) {
  order_.resize(tids_.size());
  std::iota(order_.begin(), order_.end(), 1u);
  const auto by_tid = [this](uint32_t a, uint32_t b) { return tids_[a - 1] < tids_[b - 1]; };
  const auto by_occurrences = [&](uint32_t a, uint32_t b) {
    if (occurrences_[a - 1] != occurrences_[b - 1])
      return occurrences_[a - 1] > occurrences_[b - 1];
    return by_tid(a, b);
  };
  const auto middle =
      order_.begin() + static_cast<ptrdiff_t>(std::min(order_.size(), kOneByteCodes));
  if (middle != order_.end()) {
    std::nth_element(order_.begin(), middle, order_.end(), by_occurrences);
  }
  std::sort(order_.begin(), middle, by_tid);
  std::sort(middle, order_.end(), by_tid);

  codes_.assign(order_.size() + 1, kCurrent);
  uint32_t code = 0;
  uint32_t before = 0;
  for (const uint32_t slot : order_) {
    codes_[slot] = ++code;
    const auto tid = static_cast<uint32_t>(tids_[slot - 1]);
    tid_delta.Add(static_cast<int32_t>(tid - before));
    before = tid;
  }
}

void ThreadDictionary::SlotsToCodes(std::vector<uint64_t>& column) const {
  for (uint64_t& value : column) value = codes_[value];
}

}  // namespace gordian
