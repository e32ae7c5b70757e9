// SPDX-License-Identifier: Apache-2.0
// Numbers thread ids in the order in which they are first met.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

// A plain array for the ids that a Linux kernel gives out; a map for all others, which only a
// foreign or hostile file can hold.
class TidIndex {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  uint32_t Find(int32_t tid) const {
    const auto position = static_cast<uint32_t>(tid);
    if (position < number_plus_one_.size()) return number_plus_one_[position] - 1;
    if (position < kMaxTids) return kNone;
    const auto found = others_.find(tid);
    return found == others_.end() ? kNone : found->second;
  }

  uint32_t Intern(int32_t tid) {
    const auto position = static_cast<uint32_t>(tid);
    if (position < number_plus_one_.size() && number_plus_one_[position] != 0) {
      return number_plus_one_[position] - 1;
    }
    return Add(tid);
  }

  const std::vector<int32_t>& tids() const { return tids_; }

  // Forgets all, keeps the memory.
  void Clear();

 private:
  static constexpr uint32_t kMaxTids = 1u << 22;  // the kernel's PID_MAX_LIMIT
  uint32_t Add(int32_t tid);

  std::vector<uint32_t> number_plus_one_;
  absl::flat_hash_map<int32_t, uint32_t> others_;
  std::vector<int32_t> tids_;
};

}  // namespace gordian
