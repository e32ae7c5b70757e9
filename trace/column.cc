#include "trace/column.h"

#include <google/protobuf/wire_format_lite.h>

namespace gordian {

uint64_t ZigZag(int64_t value) {
  return google::protobuf::internal::WireFormatLite::ZigZagEncode64(value);
}

int64_t UnZigZag(uint64_t coded) {
  return google::protobuf::internal::WireFormatLite::ZigZagDecode64(coded);
}

void ColumnBuilder::MoveTo(pb::Column& column) {
  uint64_t all = 0;
  for (const uint64_t value : values_) all |= value;
  if ((all & 0xff) != 0) {
    std::string& low = *column.mutable_low();
    low.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) low[i] = static_cast<char>(values_[i] & 0xff);
  }
  if ((all >> 8) != 0) {
    auto& high = *column.mutable_high();
    high.Resize(static_cast<int>(values_.size()), 0);
    uint64_t* out = high.mutable_data();
    for (size_t i = 0; i < values_.size(); ++i) out[i] = values_[i] >> 8;
  }
  values_.clear();
}

}  // namespace gordian
