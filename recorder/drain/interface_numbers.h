// SPDX-License-Identifier: Apache-2.0
// One number for each network interface that the kernel side tells by its namespace and its index
// there. Interfaces of the recorder's own namespace keep their index; all others are numbered from
// kFirstForeignInterface on, which no index reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "trace/trace_event.h"

namespace gordian {

struct ForeignInterface {
  uint32_t network = 0;  // the inode of its namespace
  uint32_t index = 0;    // the kernel's
};

class InterfaceNumbers {
 public:
  // All are described in session.pb, which is written anew every second, and must leave room for
  // events in a small flight recorder.
  static constexpr size_t kMostForeign = 2048;

  InterfaceNumbers() = default;
  // `own_network`: the inode of the recorder's namespace.
  explicit InterfaceNumbers(uint32_t own_network, size_t most = kMostForeign)
      : own_network_(own_network), most_(most) {}

  // The index itself if the namespace is not told. Once there are too many, further ones share a
  // number that no description has.
  uint32_t NumberOf(uint32_t network, uint32_t index) {
    if (network == own_network_ || network == 0 || index == 0) return index;
    const uint64_t key = uint64_t{network} << 32 | index;
    if (key == last_key_) return last_number_;
    const auto found = numbers_.find(key);
    if (found == numbers_.end() && foreign_.size() >= most_) {
      ++without_number_;
      return static_cast<uint32_t>(kFirstForeignInterface + most_);
    }
    last_number_ = found != numbers_.end() ? found->second : Learn(key, network, index);
    last_key_ = key;
    return last_number_;
  }

  // In order of their numbers.
  const std::vector<ForeignInterface>& foreign() const { return foreign_; }
  // How often one of too many was asked for.
  uint64_t without_number() const { return without_number_; }

 private:
  uint32_t Learn(uint64_t key, uint32_t network, uint32_t index) {
    const auto number = static_cast<uint32_t>(kFirstForeignInterface + foreign_.size());
    foreign_.push_back({network, index});
    numbers_.emplace(key, number);
    return number;
  }

  uint32_t own_network_ = 0;
  size_t most_ = kMostForeign;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;  // by network << 32 | index
  std::vector<ForeignInterface> foreign_;
  uint64_t last_key_ = 0;  // packets come in rows: the key asked for last is mostly the next
  uint32_t last_number_ = 0;
  uint64_t without_number_ = 0;
};

}  // namespace gordian
