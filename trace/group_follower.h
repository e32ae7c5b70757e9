// SPDX-License-Identifier: Apache-2.0
// What follows in each group of records, for columns that tell only how far each record is from
// that (Coding::kFollows).
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "trace/column.h"

namespace gordian {

class GroupFollower {
 public:
  // Of numbers of this width.
  explicit GroupFollower(uint8_t bits) : unused_bits_(64 - bits) {}

  // The next record of the group has `number`; `step` more is what follows it.
  uint64_t Encode(uint64_t group, uint64_t number, uint64_t step) {
    uint64_t& expected = expected_[group];
    const uint64_t coded = ZigZag(Signed(number - expected));
    expected = number + step;
    return coded;
  }
  // The number of the next record of the group. Nonsense wraps around.
  uint64_t Decode(uint64_t group, uint64_t coded, uint64_t step) {
    uint64_t& expected = expected_[group];
    const uint64_t number = Narrow(expected + static_cast<uint64_t>(UnZigZag(coded)));
    expected = number + step;
    return number;
  }
  void Clear() { expected_.clear(); }

 private:
  int64_t Signed(uint64_t number) const {
    return static_cast<int64_t>(number << unused_bits_) >> unused_bits_;
  }
  uint64_t Narrow(uint64_t number) const { return number << unused_bits_ >> unused_bits_; }

  int unused_bits_;
  absl::flat_hash_map<uint64_t, uint64_t> expected_;
};

}  // namespace gordian
