// SPDX-License-Identifier: Apache-2.0
// A row of values that grows at its end, in plain memory or in a file (column_memory.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "analyzer/timeline/column_memory.h"

namespace gordian {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;  // in plain memory
  explicit Column(const ColumnMemory& memory) : bytes_(memory) {}
  // Values that lie elsewhere, and stay there as long as this. They are never written to: a column
  // that grows is a copy from then on.
  static Column Over(std::span<const T> values) {
    Column column;
    column.bytes_ = GrowingBytes(std::as_bytes(values));
    column.size_ = values.size();
    return column;
  }
  Column(Column&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }

  void push_back(const T& value) {
    const T copy = value;  // it may stand in this column, which moves as it grows
    if ((size_ + 1) * sizeof(T) > bytes_.capacity()) bytes_.GrowTo((size_ + 1) * sizeof(T));
    data()[size_++] = copy;
  }
  // `values` stand elsewhere.
  void Append(std::span<const T> values) {
    if (values.empty()) return;
    const size_t needed = (size_ + values.size()) * sizeof(T);
    if (needed > bytes_.capacity()) bytes_.GrowTo(needed);
    std::memcpy(static_cast<void*>(end()), values.data(), values.size_bytes());
    size_ += values.size();
  }
  // Their memory stays, as in what follows.
  void Clear() { size_ = 0; }
  template <typename Matches>
  void EraseIf(Matches matches) {
    size_ = static_cast<size_t>(std::remove_if(begin(), end(), matches) - begin());
  }

 private:
  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }

  GrowingBytes bytes_;
  size_t size_ = 0;
};

}  // namespace gordian
