// SPDX-License-Identifier: Apache-2.0
// One number for each stack, and for each thing that threads wait for: the kernel side tells both
// by a hash of their contents.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace gordian {

class StackIds {
 public:
  StackIds() : StackIds(size_t{1} << 20) {}
  explicit StackIds(size_t most) : most_(most) {}

  // The same number for the same hash, counted from 1; 0 for the hash 0 (no stack could be taken),
  // and for new ones once there are too many: memory is bounded (32 MiB at most).
  uint32_t IdOf(uint64_t hash) {
    if (hash == 0) return 0;
    const auto found = ids_.find(hash);
    if (found != ids_.end()) return found->second;
    if (ids_.size() >= most_) {
      ++without_number_;
      return 0;
    }
    const auto id = static_cast<uint32_t>(ids_.size() + 1);
    ids_.emplace(hash, id);
    return id;
  }

  uint64_t without_number() const { return without_number_; }

 private:
  const size_t most_;
  absl::flat_hash_map<uint64_t, uint32_t> ids_;
  uint64_t without_number_ = 0;
};

}  // namespace gordian
