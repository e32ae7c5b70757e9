// SPDX-License-Identifier: Apache-2.0
// Columns of numbers, to and from pb::Column: the low bytes apart from the rest (see trace.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schema/trace.pb.h"

namespace gordian {

// Small magnitudes of either sign become small numbers, as in protobuf's sint64.
constexpr uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t UnZigZag(uint64_t coded) {
  return static_cast<int64_t>(coded >> 1 ^ (0 - (coded & 1)));
}

// Replaces the contents of `column`. A column of zeros, or of no values, takes no bytes at all.
void WriteColumn(std::span<const uint64_t> values, pb::Column& column);

// Reads a column of a message that outlives it.
class ColumnView {
 public:
  ColumnView() = default;  // of no values, or of any number of zeros
  explicit ColumnView(const pb::Column& column)
      : low_(reinterpret_cast<const uint8_t*>(column.low().data())),
        high_(column.high().data()),
        low_size_(column.low().size()),
        high_size_(static_cast<size_t>(column.high_size())) {}

  // Whether it has a value for each of `count` entries: each half that many, or absent.
  bool Holds(size_t count) const {
    return (low_size_ == 0 || low_size_ == count) && (high_size_ == 0 || high_size_ == count);
  }
  // `index` must be below a count that Holds() was true for.
  uint64_t operator[](size_t index) const {
    uint64_t value = low_size_ == 0 ? 0 : low_[index];
    if (high_size_ != 0) value |= high_[index] << 8;
    return value;
  }
  // The `count` values from `begin` on.
  void Load(size_t begin, size_t count, std::vector<uint64_t>& values) const;

 private:
  const uint8_t* low_ = nullptr;
  const uint64_t* high_ = nullptr;
  size_t low_size_ = 0;
  size_t high_size_ = 0;
};

}  // namespace gordian
