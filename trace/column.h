// Columns of numbers, to and from pb::Column: the low bytes apart from the rest (see trace.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schema/trace.pb.h"

namespace gordian {

// Small magnitudes of either sign become small numbers, as in protobuf's sint64.
uint64_t ZigZag(int64_t value);
int64_t UnZigZag(uint64_t coded);

// Collects a column; keeps its memory from block to block.
class ColumnBuilder {
 public:
  void Add(uint64_t value) { values_.push_back(value); }
  std::vector<uint64_t>& values() { return values_; }
  // Writes the column and forgets its values. All zeros (or none) write nothing at all.
  void MoveTo(pb::Column& column);

 private:
  std::vector<uint64_t> values_;
};

// Reads a column of a message that outlives it.
class ColumnView {
 public:
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

 private:
  const uint8_t* low_;
  const uint64_t* high_;
  size_t low_size_;
  size_t high_size_;
};

}  // namespace gordian
