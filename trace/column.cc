// SPDX-License-Identifier: Apache-2.0
#include "trace/column.h"

#include <algorithm>

namespace gordian {

void WriteColumn(std::span<const uint64_t> values, pb::Column& column) {
  uint64_t all = 0;
  for (const uint64_t value : values) all |= value;
  std::string& low = *column.mutable_low();
  low.clear();
  if ((all & 0xff) != 0) {
    low.resize(values.size());
    char* out = low.data();
    for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<char>(values[i] & 0xff);
  }
  auto& high = *column.mutable_high();
  high.Clear();
  if (all >> 8 == 0) return;
  high.Resize(static_cast<int>(values.size()), 0);
  uint64_t* out = high.mutable_data();
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i] >> 8;
}

void ColumnView::Load(size_t begin, size_t count, std::vector<uint64_t>& values) const {
  values.resize(count);
  const uint8_t* const low = low_size_ == 0 ? nullptr : low_ + begin;
  const uint64_t* const high = high_size_ == 0 ? nullptr : high_ + begin;
  if (low == nullptr && high == nullptr) {
    std::fill(values.begin(), values.end(), 0);
  } else if (high == nullptr) {
    for (size_t i = 0; i < count; ++i) values[i] = low[i];
  } else if (low == nullptr) {
    for (size_t i = 0; i < count; ++i) values[i] = high[i] << 8;
  } else {
    for (size_t i = 0; i < count; ++i) values[i] = low[i] | high[i] << 8;
  }
}

}  // namespace gordian
